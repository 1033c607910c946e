/* Boot sector: reads SECTORS sectors behind itself to 0x10000 and jumps there. */
    .code16
    .section .text
    .globl _start
_start:
    cli
    xorw %ax, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movw $0x7c00, %sp
    ljmp $0, $1f
1:
    movb %dl, drive
    movw $SECTORS, %cx
next:
    movw $64, %ax
    cmpw %ax, %cx
    jae 2f
    movw %cx, %ax
2:
    movw %ax, packet_count
    pushw %cx
    movb $0x42, %ah
    movb drive, %dl
    movw $packet, %si
    int $0x13
    popw %cx
    jc failed
    movw packet_count, %ax
    addw %ax, packet_sector
    movw %ax, %bx
    shlw $5, %bx
    addw %bx, packet_segment
    subw %ax, %cx
    jnz next
    ljmp $0x1000, $0
failed:
    movb $'!', %al
    outb %al, $0xe9
    hlt
    jmp failed

drive:
    .byte 0
    .balign 4
packet:
    .byte 16, 0
packet_count:
    .word 0
    .word 0
packet_segment:
    .word 0x1000
packet_sector:
    .quad 1

    .org 510
    .word 0xaa55

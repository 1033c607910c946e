/* From real mode at 0x1000:0 to 64-bit mode with AVX-512 state switched on, then to image_main. Page tables
 * for the first gigabyte stand at 0x1000 to 0x3fff; the stack ends at 0x9f000. */
    .section .entry, "ax"
    .code16
    .globl entry
entry:
    cli
    movw $0x1000, %ax
    movw %ax, %ds
    inb $0x92, %al
    orb $2, %al
    andb $0xfe, %al
    outb %al, $0x92
    lgdtl gdt_pointer - entry
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $0x08, $protected

    .code32
protected:
    movw $0x10, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $0x1000, %edi
    xorl %eax, %eax
    movl $0xc00, %ecx
    rep stosl
    movl $0x2003, 0x1000
    movl $0x3003, 0x2000
    movl $0x3000, %edi
    movl $0x83, %eax
1:
    movl %eax, (%edi)
    addl $8, %edi
    addl $0x200000, %eax
    cmpl $0x4000, %edi
    jne 1b
    movl $0x1000, %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x40620, %eax      /* PAE, OSFXSR, OSXMMEXCPT, OSXSAVE */
    movl %eax, %cr4
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x100, %eax        /* long mode */
    wrmsr
    movl %cr0, %eax
    andl $0xfffffffb, %eax  /* no emulation of the x87 */
    orl $0x80000002, %eax   /* paging, monitor coprocessor */
    movl %eax, %cr0
    ljmpl $0x18, $long_mode

    .code64
long_mode:
    movw $0x10, %ax
    movw %ax, %ss
    movl $0x9f000, %esp
    xorl %ecx, %ecx
    xorl %edx, %edx
    movl $0xe7, %eax        /* x87, SSE, AVX and the three parts of AVX-512 */
    xsetbv
    leaq __bss_start(%rip), %rdi
    leaq __bss_end(%rip), %rcx
    subq %rdi, %rcx
    xorl %eax, %eax
    rep stosb
    call image_main
2:
    hlt
    jmp 2b

    .balign 16
gdt:
    .quad 0
    .quad 0x00cf9a000000ffff /* 32-bit code */
    .quad 0x00cf92000000ffff /* data */
    .quad 0x00af9a000000ffff /* 64-bit code */
gdt_pointer:
    .word . - gdt - 1
    .long gdt
    .section .note.GNU-stack, "", @progbits

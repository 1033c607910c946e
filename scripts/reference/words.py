"""Small word lists and sentence patterns of the ten languages, for the tokenizer corpus."""

# language: (subjects, verbs, objects, ends, join)
LISTS = {
    "english": (["The baker", "My sister", "Nobody", "An old sailor", "I've a friend who", "We"],
                ["doesn't like", "will paint", "couldn't find", "carried", "they'd say drew"],
                ["a blue door", "the last train", "seven apples", "Anna's letters", "O'Neill"],
                [".", "!", "?", "...", ", didn't he?"], " "),
    "german": (["Der Bäcker", "Meine Schwester", "Niemand", "Das Mädchen", "Wir"],
               ["öffnet", "grüßt", "hört heute", "übermalt", "fährt über"],
               ["die Straße", "den Großvater", "ein Stück Käse", "zwölf Äpfel", "Köln"],
               [".", "!", "?", " – oder?", "; so ist's."], " "),
    "french": (["Le boulanger", "Ma sœur", "Personne", "L'élève", "Nous"],
               ["n'a pas vu", "peignait", "aime bien", "cherche où est", "s'en va vers"],
               ["la forêt", "l'été dernier", "un garçon", "cœur et âme", "dix-huit clés"],
               [".", " !", " ?", "…", ", n'est-ce pas ?"], " "),
    "spanish": (["El panadero", "Mi hermana", "Nadie", "La niña", "Nosotros"],
                ["pintó", "no encontró", "llevará mañana", "soñaba con", "canta"],
                ["la canción", "el año nuevo", "un pingüino", "tres árboles", "Perú"],
                [".", "!", "?", "...", ", ¿verdad?"], " "),
    "italian": (["Il fornaio", "Mia sorella", "Nessuno", "L'amico", "Noi"],
                ["dipinge", "non trovò", "porterà", "c'è chi vede", "cercava"],
                ["la città", "il caffè", "un'arancia", "perché no", "venti lettere"],
                [".", "!", "?", "...", ", vero?"], " "),
    "portuguese": (["O padeiro", "Minha irmã", "Ninguém", "A criança", "Nós"],
                   ["pintou", "não achou", "levará", "ouviu", "põe"],
                   ["a canção", "o avião", "três maçãs", "um pão", "às vezes São João"],
                   [".", "!", "?", "...", ", não é?"], " "),
    "russian": (["Пекарь", "Моя сестра", "Никто", "Старый моряк", "Мы"],
                ["не нашёл", "рисует", "несёт домой", "слышал", "объехал"],
                ["синюю дверь", "последний поезд", "семь яблок", "письмо", "Санкт-Петербург"],
                [".", "!", "?", "...", " — правда?"], " "),
    "chinese": (["面包师", "我妹妹", "没有人", "老船长", "我们"],
                ["不喜欢", "画了", "找不到", "带走了", "听见"],
                ["蓝色的门", "最后一班车", "七个苹果", "一封信", "北京的春天"],
                ["。", "！", "？", "……", "，对吗？"], ""),
    "japanese": (["パン屋さんは", "妹が", "だれも", "おじいさんと", "私たちは"],
                 ["青い扉を", "終電で", "りんごを七つ", "手紙へ", "コーヒーも"],
                 ["描いた", "見つけません", "運びます", "聞こえた", "好きでした"],
                 ["。", "！", "？", "……", "ね、本当に？"], ""),
    "korean": (["빵집 주인은", "내 동생이", "아무도", "늙은 선장은", "우리는"],
               ["파란 문을", "마지막 기차에서", "사과 일곱 개를", "편지를", "커피도"],
               ["그렸어요", "찾지 못했다", "가져갔습니다", "들었어", "좋아해요"],
               [".", "!", "?", "...", ", 그렇죠?"], " "),
}

OTHER = """สวัสดีครับ วันนี้อากาศดีมาก|นี่คือประโยคทดสอบ ๑๒๓|ภาษาไทยไม่มีช่องว่าง|नमस्ते दुनिया, कैसे हैं आप?
क्षत्रिय ज्ञान श्री १२३|বাংলা ভাষায় একটি বাক্য|தமிழ் எழுத்து சோதனை|తెలుగు వాక్యం|ಕನ್ನಡ ಪರೀಕ್ಷೆ|മലയാളം വാക്ക്
ગુજરાતી વાક્ય|ਪੰਜਾਬੀ ਲਿਖਤ|සිංහල වාක්‍යය|မြန်မာစာ စမ်းသပ်|ភាសាខ្មែរ សាកល្បង|ພາສາລາວ ທົດສອບ
مرحبا بالعالم، كيف حالك؟|السَّلامُ عَلَيْكُمْ|٠١٢٣٤٥٦٧٨٩ أرقام|زبان فارسی می‌خوانم ۱۲۳|اردو میں ایک جملہ
שלום עולם, מה שלומך?|בְּרֵאשִׁית אות|ქართული ენა|Հայերեն լեզու|Ελληνικά με τόνους ΆΈΉ|አማርኛ ቋንቋ|Tiếng Việt có dấu đầy đủ
ᚠᚢᚦᚨᚱᚲ|ᏣᎳᎩ ꮳꮃꭹ|བོད་ཡིག གཅིག|монгол ᠮᠣᠩᠭᠣᠯ|𐍈𐌰𐌹𐍂𐌷𐌾|𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛|Ǆ ǅ ǆ ǈ ǋ ǲ""".replace("\n", "|").split("|")

MIXED_CASE = """iPhone iPad eBay macOS XMLHttpRequest getHTTPResponseCode HTMLParser iOS17 McDonald
O'Brien'S camelCaseWord snake_case_word SCREAMING_SNAKE kebab-case-word PascalCase aBcDeF ABCdef
abcDEF ÀÉÎõü ÉCOLEfrançaise ǅungla ΑΒΓδεζ ПриВЕТ ßẞ İstanbul ıI ﬁnﬂ ªº ʰʷ ⅷⅧ ⓐⒶ""".split()

CONTRACTIONS = """I'm you're he's she'd we'll they've don't DON'T I'M YOU'RE He'S WE'LL THEY'VE 'twas
'tis rock'n'roll o'clock 's 't 're 've 'm 'll 'd 'S 'T 'RE 'VE 'M 'LL 'D ''s 'sx 'lll it’s I’m
'ſ 'K dogs' y'all'd've 're're""".split()

NUMBERS = """0 7 42 1234567890 3.14159 1,000,000 1.000.000,50 2^10 10% -5 +5 1e-6 0x1F 12:30 24/7
2024-02-29 ½ ¾ ² ³ x² H₂O ① ② Ⅳ 四 ４２ ٤٢ ४२ ๔๒ 1st 2nd 3D 4K 1/2 №5 №№ $100 €9,99 £5 ¥300""".split()

CODE = ["int main(void) {\n    return 0;\n}", "for (i = 0; i < n; i++) { a[i] += b[i]; }",
        "if x == 1:\n\tprint('hi')\n\treturn", "<div class=\"a b\">text</div>", "a->b->c == NULL",
        "SELECT * FROM t WHERE id=1;", "# comment\n## heading\n- item\n* item", "x=>y||z&&!w",
        "https://example.org/a/b?c=d&e=%20f#g", "http://例え.テスト/パス", "user.name+tag@example.com",
        "C:\\dir\\file.txt", "../../x/y.tar.gz", "///", "//\n//\n", "a/b/c", "?/\n/", "!!/\r\n/x",
        "#hash #tag ##", "###", "@you @@", "{{a}} [[b]] ((c))", "```\ncode\n```", "|a|b|\n|-|-|"]

EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "❤️", "☺", "1️⃣", "🎉🎉🎉", "🧑🏿‍🚀", "✨a✨", "😀!", " 😀", "😀\n"]

ADDED = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>",
         "<tts_pad>", "<tts_text_bos>", "<tts_text_bos_single>", "<|audio_pad|>", "<|im_start", "<think",
         "< |im_end|>", "<|im_end|", "|im_end|>", "<|IM_END|>", "<<|im_end|>>", "<tts_text_bos"]

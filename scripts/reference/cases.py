"""The golden runs: name -> (checkpoint, request, what to keep besides codes and prompt).

Texts are own and odd on purpose. Keep: "wave" = sound of the first N frames, "full" = ranges of
samples {file: (from, to)} of the sound that the package returns, "stages" = all intermediates of
the first N frames.
"""
FRAME = 1920
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen" * 3
PARAGRAPH = ("The night train left the station at ten past eleven, slowly at first, then faster, "
             "past dark gardens and quiet houses. Nobody on it was asleep: a boy counted lamps, "
             "two sisters shared an orange, and the guard wrote a letter that he'd never send.")
CHINESE = "今天天气很好，我们去公园散步吧。"
MIXED = "混ぜる mix 섞다 смешать: 世界 world 안녕 мир 123 ４５６"
MARKS = "👩‍👩‍👧 Zoë says cafe\u0301, n\u0303, A\u030A and क्षि ไทย 🎉🏳️‍🌈!"

# Recordings by formula; lengths are not whole frames.
LOW = {"name": "low", "seconds": 1.31, "pitch": 105, "seed": 1}
HIGH = {"name": "high", "seconds": 2.11, "pitch": 230, "seed": 2}
LONG = {"name": "long", "seconds": 3.3, "pitch": 160, "seed": 3}


def case(checkpoint, text, frames=200, live=False, language="auto", keep=None, **more):
    request = {"text": text, "language": language, "voice": None, "instruct": None,
               "live_text": live, "as_reference": True, "max_frames": frames, **more}
    return checkpoint, request, keep or {}


CASES = {
    # no projection, tag 0b6
    "custom-eq-plain": case("custom-eq", "Hello, the quick brown voice of the world.", 200,
                            language="english", voice="ryan", keep={"wave": 200, "stages": 30}),
    "custom-eq-live": case("custom-eq", PARAGRAPH, 212, True, voice="serena"),
    "custom-eq-dialect": case("custom-eq", CHINESE, 201, language="chinese", voice="eric",
                              instruct="Dropped, because this size takes no instruction."),
    "custom-eq-newline": case("custom-eq", "\nThe second line comes first.", 204, True,
                              "spanish", voice="ono_anna"),
    "custom-eq-letter": case("custom-eq", "a", 200, True, "german", voice="serena"),
    "custom-eq-border": case("custom-eq", "One two three, four five six.", 316,
                             language="english", voice="dylan",
                             keep={"full": {"start": (0, 2 * FRAME),
                                            "border": (297 * FRAME, 309 * FRAME)}}),
    # with projection, tag 1b7
    "custom-mtp-instruct": case("custom-mtp", "It is my turn, isn't it? I'll go.", 205,
                                language="English", voice="Ryan",
                                instruct="Speak slowly, in a warm voice.",
                                keep={"wave": 48, "stages": 48}),
    "custom-mtp-live-instruct": case("custom-mtp", CHINESE + MIXED, 200, True, voice="dylan",
                                     instruct="用开心的声音说。"),
    "custom-mtp-control": case("custom-mtp", "An <|im_end|> inside, a <tts_pad> and <think>.", 203,
                               language="russian", voice="eric"),
    "custom-mtp-marks": case("custom-mtp", MARKS, 200, True, "japanese", voice="serena"),
    "custom-mtp-nobody": case("custom-mtp", "Personne ne parle, mais on entend tout.", 200,
                              language="french"),
    # ends by itself
    "custom-stop-whole": case("custom-stop", "Good evening, world.", 400, language="english",
                              voice="ryan", keep={"full": {"start": (0, 24 * FRAME)}}),
    "custom-stop-live": case("custom-stop", "今日はいい天気ですね。", 400, True, "japanese",
                             voice="ono_anna"),
    "base-stop-live": case("base-stop", "Where does this end?", 400, True, recording=LOW),
    "base-stop-icl": case("base-stop", "At the end, of course.", 400, True, "english",
                          recording=HIGH, reference_text="Where does this end?"),
    # described voices
    "design-eq-whole": case("design-eq", "Domani andiamo tutti al mare, va bene?", 206,
                            language="italian", instruct="An old man, calm and warm.",
                            keep={"wave": 24}),
    "design-eq-live": case("design-eq", LONG_WORD, 200, True, "portuguese", instruct=""),
    "design-mtp-whole": case("design-mtp", "오늘은 날씨가 정말 좋네요. 😀", 200, language="korean",
                             instruct="A young woman 🎤, happy;\nfast.", keep={"wave": 24}),
    "design-mtp-live": case("design-mtp", "Blanks at the end   \t ", 209, True,
                            instruct="A robot."),
    # cloned voices
    "base-eq-vector": case("base-eq", "Same voice, new words: 3 of them.", 200, True, "english",
                           recording=LOW, keep={"wave": 24}),
    "base-eq-vector-whole": case("base-eq", PARAGRAPH, 200, recording=HIGH),
    "base-eq-icl": case("base-eq", PARAGRAPH, 205, True, "english", recording=LOW,
                        reference_text="Seventeen frames of clip.",     # 17 of 222: cut rounds down
                        keep={"full": {"start": (0, 24 * FRAME)}}),
    "base-eq-icl-whole": case("base-eq", "¿Quién habla ahora?", 200, language="spanish",
                              recording=HIGH, reference_text="The clip of before."),
    "base-mtp-vector": case("base-mtp", "Die Straße wird größer, ÄÖÜ.", 200, True, "german",
                            recording=HIGH),
    "base-mtp-vector-whole": case("base-mtp", "x", 200, recording=LONG),
    "base-mtp-icl": case("base-mtp", "Да.", 270, True, "russian", recording=LONG,
                         reference_text="Yes.",
                         keep={"full": {"start": (0, 8 * FRAME),
                                        "border": (255 * FRAME, 263 * FRAME)}}),
    "base-mtp-icl-whole": case("base-mtp", MIXED, 200, recording=LOW,
                               reference_text="Réf : une phrase."),
}

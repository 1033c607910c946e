"""The golden runs: name -> (checkpoint, request, what to keep besides codes and prompt).

Texts are own and odd on purpose. Keep: "wave" = sound of the first N frames, "full" = the sound
the package returns, in samples [from, to), "border" = sound around frame 300, "stages" = all
intermediates of the first N frames.
"""
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen" * 3
PARAGRAPH = ("The night train left the station at ten past eleven, slowly at first, then faster, "
             "past dark gardens and quiet houses. Nobody on it was asleep. ")


def case(checkpoint, text, frames=200, live=False, language="auto", keep=None, **more):
    request = {"text": text, "language": language, "voice": None, "instruct": None,
               "live_text": live, "as_reference": True, "max_frames": frames, **more}
    return checkpoint, request, keep or {}


CASES = {
    "custom-eq-plain": case("custom-eq", "Hello, the quick brown voice of the world.", 200,
                            language="english", voice="ryan", keep={"wave": 200, "stages": 30}),
}

"""What the teacher makes of test sentences: codes, its own sound, and the sound rendered from what
codes can tell. Sounds take half their length to make, so they are kept.
"""
import os

from train.audio import render
from train.codes import encode
from train.eval import heard, teacher
from train.eval.heard import progress
from train.teacher import kokoro, voices


class Taught:
    def __init__(self, work, folder):
        """WORK/bin and WORK/cache hold readers and models; folder: where sounds are kept"""
        self.work, self.folder = work, folder
        self.models = {}

    def there(self):
        """Whether the teacher can be asked in this work folder."""
        return all(os.path.exists(os.path.join(self.work, "bin", name))
                   for name in voices.READERS.values())

    def model(self, sound):
        if sound not in self.models:
            self.models[sound] = kokoro.Kokoro(os.path.join(self.work, "cache"), sound)
        return self.models[sound]

    def utterances(self, speaker, sentences, model):
        """yields (sentence, utterance) of those it can read; all are of one language"""
        name = "%s-%s" % (speaker, sentences[0].language)
        said = [s.spoken for s in sentences]
        for s, u in zip(sentences, teacher.utterances(self.work, name, said, model)):
            if u is not None:
                yield s, u

    def phones(self, sentences):
        """[[phone id]] as the reader of their one language says them"""
        language = sentences[0].language
        name = next(n for n, v in voices.VOICES.items() if v.language == language)
        with teacher.recorded(self.work, name, [s.spoken for s in sentences]) as path:
            return [[row[0] for row in rows] for _, rows in voices.readings(path, language)]

    def codes(self, speaker, sentences):
        """[(sentence, codes [T, 16])]"""
        return [(s, encode(u, speaker, s.language)[0])
                for s, u in self.utterances(speaker, sentences, self.model(False))]

    def sounds(self, speaker, sentences):
        """-> [(sentence, sound, rate)] of its own, and the same rendered"""
        os.makedirs(self.folder, exist_ok=True)
        missing = [s for s in sentences if not os.path.exists(self.path(speaker, s, "rendered"))]
        if missing:
            own = teacher.OwnSound(self.model(True))
            for n, (s, u) in enumerate(self.utterances(speaker, missing, own), 1):
                progress("the teacher speaks, %d of %d" % (n, len(missing)))
                render.write_wav(self.path(speaker, s, "own"), own.sound)
                render.write_wav(self.path(speaker, s, "rendered"), render.render(u))
        return [[(s, *heard.read_wav(self.path(speaker, s, kind))) for s in sentences
                 if os.path.exists(self.path(speaker, s, kind))] for kind in ("own", "rendered")]

    def path(self, speaker, sentence, kind):
        name = "".join(c if c.isalnum() else "-" for c in sentence.spoken)[:60]
        return os.path.join(self.folder, "%s-%s-%s-%s.wav"
                            % (speaker, sentence.language, name, kind))

"""How common words are, by the package wordfreq: the words of conversation, of which dictionaries
and their examples have few. Nothing but the order of the words is used."""
import wordfreq

MOST, SOFT = 12000, 30
CODES = {"english": "en", "french": "fr"}
SHORT = {"english": "ai", "french": "aày"}           # words of one letter
VOWELS = set("aeiouyàâéèêëîïôùûüœæ")


def words(language):
    """-> the most common words, the first first, and how often to take each: less often than it is
    said, so that the others are met, too"""
    rows = [w for w in wordfreq.top_n_list(CODES[language], MOST)
            if w.isalpha() and VOWELS & set(w) and w != "qu"
            and (len(w) > 1 or w in SHORT[language])]
    return rows, [(rank + SOFT) ** -0.5 for rank in range(len(rows))]

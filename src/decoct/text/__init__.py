"""What Decoct knows of language, once: sentences, words, names, numbers, units, dates, values, questions, overlap of texts."""

"""The measures, by what they look at: formula, edge cases, and what the number does not say.

A measure works on one question and returns a float in 0..1 (costs: counts), or None where it means nothing for that question; the runner
leaves such cases out of the mean and counts them. None of them calls a model; judges do (`decoct_lab.judges`).
"""

"""Seeded worlds with known truth: conflict questions whose right answer, wrong answers and expected behaviour are known.

What an answer does with such a conflict is told in lab/docs/methods.md (CASC: Worlds).
"""

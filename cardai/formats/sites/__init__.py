"""Public sites that play heads-up no-limit hold'em against anybody's program: clients of Slumbot and of GTO Wizard's benchmark.

``service`` speaks JSON over HTTPS, ``frames`` says what answers hold, ``slumbot`` and ``gtowizard`` are the two protocols, and
``series`` plays hands against either, into one record.
"""

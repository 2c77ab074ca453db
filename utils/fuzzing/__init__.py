"""What fuzz.py is made of.

corpus.py     what the repository has to start from
mutators.py   changes of text, JSON and bytes that know no language
programs.py   .ein programs            modules.py   IR of every phase
plans.py      plan and machine files   arrays.py    .npy files
commands.py   command lines             sessions.py  scripts of sessions
oracles.py    what must hold of every command
accepted.py   what must hold of a program that is accepted
minimise.py   makes a failing input small
"""

"""How strong the computer opponents are: matches between levels, against random play and against greedy play.

python -m tests.ladder --minutes 60            # what `make ladder` begins with
python -m tests.ladder --game hex --pair 8:greedy --matches 40
python -m tests.ladder --full --minutes 600    # level 8 as it plays, a few matches
python -m tests.ladder --seats 20                # who wins where every seat plays for itself
python -m tests.ladder --report                # docs/STRENGTH.md and docs/BALANCE.md from the results
python -m tests.ladder.losses hex greedy 8       # what a player's actions cost it, as longer searches see it
python -m tests.ladder.alphabeta universal       # alpha-beta against the search
python -m tests.ladder.openings wec              # a book of openings, by long searches
python -m tests.ladder.likely                    # what weighing worlds by what is likely would tell
"""

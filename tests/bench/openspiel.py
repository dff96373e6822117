"""OpenSpiel's `oh_hell`, a process of its own that is asked for figures: the floor of the engine.

Four players, 32 cards, seven tricks: with every card dealt it comes to a position without legal actions. OpenSpiel
deals card by card, each by a chance node; all outcomes are equally likely, so that one may be taken out of
`legal_actions()` like any other action. That is its fastest way from Python; `chance_outcomes()`, as in its examples,
takes longer.
"""

import random

import pyspiel

from tests.bench.stopwatch import answer_questions, per_second

GAME = "oh_hell(players=4,num_suits=4,num_cards_per_suit=8,num_tricks_fixed=7)"


def main() -> None:
    """Answers questions: play-outs per second, the same by the book, and copies in the middle of a hand."""
    game = pyspiel.load_game(GAME)
    rng = random.Random(1)
    draw = rng.random
    choice = rng.choice

    def play_out() -> object:
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
        return state.returns()

    def play_out_by_the_book() -> object:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(choice(state.chance_outcomes())[0])
            else:
                state.apply_action(choice(state.legal_actions()))
        return state.returns()

    middle = game.new_initial_state()
    while middle.is_chance_node():
        middle.apply_action(choice(middle.legal_actions()))
    for _ in range(4 + 13):
        middle.apply_action(choice(middle.legal_actions()))
    answer_questions(
        {
            "round": lambda cpu_seconds: per_second(play_out, cpu_seconds),
            "by the book": lambda cpu_seconds: per_second(play_out_by_the_book, cpu_seconds),
            "copies": lambda cpu_seconds: per_second(middle.clone, cpu_seconds),
        }
    )


if __name__ == "__main__":
    main()

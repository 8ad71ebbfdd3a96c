"""BFCL's worlds, multi-turn, memory and web categories: 47 to 84."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from fiducial.deterministic.environments import ENVIRONMENTS
from fiducial.evaluation.generation.memory.key_value import KeyValueMemory
from fiducial.evaluation.generation.web.web_search import WebSearch
from fiducial.judges.prompt_variables import INPUT_BUILDERS
from fiducial.records import Output
from fiducial.records.case import known_role

from .kit import BFCL, cases, fd, folder, item, ran, same, scores, verdict

COMING = "docs/coming-from.md#bfcl"
ANSWERS = "docs/bfcl-differences.md"

_WORLDS = {
    47: ("GorillaFileSystem", "cat cd cp"),
    48: ("MathAPI", "absolute_value add divide"),
    49: ("TwitterAPI", "authenticate_twitter comment follow_user"),
    50: ("TicketAPI", "close_ticket create_ticket edit_ticket"),
    51: ("TradingBot", "add_to_watchlist cancel_order filter_stocks_by_price"),
    52: ("TravelAPI", "authenticate_travel book_flight cancel_booking"),
    53: ("VehicleControlAPI", "activateParkingBrake adjustClimateControl check_tire_pressure"),
    54: ("MessageAPI", "list_users"),
}


def _has_methods(name: str, methods: str) -> None:
    world = ENVIRONMENTS[name]()
    world.load({})
    same(all(callable(getattr(world, method)) for method in methods.split()), True, name)
    same(type(world.state()), dict)


for _number, (_name, _methods) in _WORLDS.items():
    item(_number)(partial(_has_methods, _name, _methods))

DOORS = ["driver", "passenger", "rear_left", "rear_right"]
UNLOCK = f"lockDoors(unlock=True, door={DOORS})"
LIGHTS = "setHeadlights(mode='on')"
LOOK = "displayCarStatus(option='doors')"


def _turns(*turns: list[str]) -> list[Any]:
    return [[f"[{', '.join(step)}]" for step in ([turn] if turn else [])] + ["Done."] for turn in turns]


@item(55)
def the_first_state_and_the_worlds_are_in_the_reference() -> None:
    reference = cases("multi_turn_base")[0].reference
    same(reference["classes"], ["VehicleControlAPI"])
    same(reference["initial_config"]["VehicleControlAPI"]["doorStatus"]["driver"], "locked")


@item(56, status="better", page=COMING)
def the_path_decides_nothing() -> None:
    scores("multi_turn_base", _turns([UNLOCK, LIGHTS]), 1.0, 1.0)
    scores("multi_turn_base", _turns([LIGHTS, LOOK, UNLOCK]), 1.0, 1.0)


@item(57)
def data_without_documents_is_scored() -> None:
    import shutil  # noqa: PLC0415 - this item alone copies data

    place = folder() / "data"
    shutil.copytree(BFCL, place)
    shutil.rmtree(place / "multi_turn_func_doc")
    (case,) = fd.import_bfcl(place, ["multi_turn_base"]).cases
    same(verdict(case, _turns([UNLOCK, LIGHTS])).score, 1.0)


@item(58, 64)
def right_trajectories_pass() -> None:
    for category in ("multi_turn_base", "multi_turn_long_context"):
        scores(category, _turns([UNLOCK, LIGHTS]), 1.0, 1.0)
        scores(category, [[f"[{UNLOCK}]", f"[{LIGHTS}]", "Done."]], 1.0, 1.0)
        scores(category, _turns([LOOK, UNLOCK, LIGHTS]), 1.0, 1.0)


@item(59)
def wrong_trajectories_fail() -> None:
    three = f"lockDoors(unlock=True, door={DOORS[:3]})"
    for calls in ([UNLOCK], [three, LIGHTS], [UNLOCK, LIGHTS, "activateParkingBrake(mode='engage')"], []):
        scores("multi_turn_base", _turns(calls), 0.0, 0.0)


@item(60, 61)
def a_withheld_function_comes_back() -> None:
    case = cases("multi_turn_miss_func")[0]
    same(case.reference["withheld"], {"1": ["lockDoors"]})
    same("lockDoors" in {tool["function"]["name"] for tool in case.tools}, False)
    same([len(turn) for turn in case.turns], [1, 1])


@item(62)
def missing_functions_and_parameters() -> None:
    for category in ("multi_turn_miss_func", "multi_turn_miss_param"):
        scores(category, _turns([], [UNLOCK, LIGHTS]), 1.0, 1.0)
        scores(category, _turns([], []), 0.0, 0.0)
        scores(category, _turns(["activateParkingBrake(mode='engage')"], [UNLOCK, LIGHTS]), 0.0, 0.0)


@item(63, status="better", page=ANSWERS)
def an_empty_turn_may_read_and_an_early_call_is_undecided() -> None:
    scores("multi_turn_miss_func", _turns([LOOK], [UNLOCK, LIGHTS]), 1.0, 1.0)
    scores("multi_turn_miss_func", _turns([LIGHTS], [UNLOCK]), None, 1.0)
    scores("multi_turn_miss_func", _turns(["fillFuelTank(fuelAmount=5)"], [UNLOCK, LIGHTS]), 0.0, 0.0)


@item(65)
def results_have_to_appear() -> None:
    fields: dict[str, Any] = {
        "classes": ["VehicleControlAPI"],
        "calls": [["check_tire_pressure()"]],
        "initial_config": {},
    }
    case = fd.Case(id="multi_turn_base_0", kind="multi_turn", reference=fields)
    same(
        verdict(case, _turns(["displayCarStatus(option='fuel')"]), "bfcl").error_type,
        "multi_turn:execution_response_mismatch",
    )


@item(66, 79, 80)
def the_tools_are_known_by_the_seeds_names() -> None:
    offered = [tool["function"]["name"] for tool in cases("memory_kv")[0].tools]
    same(len(offered), 15)
    same(all(callable(getattr(KeyValueMemory, name, None)) for name in offered), True)
    web = [tool["function"]["name"] for tool in cases("web_search_base")[0].tools]
    same(web, ["duckduckgo_search", "fetch_url_content"])
    same(all(callable(getattr(WebSearch, name, None)) for name in web), True)


@item(67, status="better", page=COMING)
def one_memory_entry_is_asked_of_three_memories() -> None:
    same(
        [case.tags["category"] for case in cases("memory")], ["memory_kv", "memory_vector", "memory_rec_sum"]
    )


@item(68)
def the_history_comes_before_the_question() -> None:
    place = folder()
    done = ran(
        "cases",
        "bfcl",
        BFCL,
        "--category",
        "memory",
        "--out",
        place / "c.jsonl",
        "--histories-out",
        place / "h.jsonl",
    )
    same("5 conversations" in done.out, True, done.out)


@item(69)
def a_patient_is_asked_as_the_user() -> None:

    roles = [known_role(message)["role"] for message in cases("memory_kv")[0].all_messages]
    same(roles, ["system", "user"])


@item(70, 81)
def answers_and_their_source_are_kept() -> None:
    same(cases("memory_kv")[0].reference["answers"], ["Type 2 Diabetes", "Diabetes"])
    same(cases("web_search_base")[0].reference["source"][0]["answer"], "DaHong Pao")


def _answers(category: str, message: str, strict: float | None, bfcl: float) -> None:
    scores(category, [[message]], strict, bfcl)


@item(71, 72)
def accepted_answers_pass() -> None:
    for answer in (
        "Type 2 Diabetes",
        "Diabetes",
        "type 2 diabetes",
        json.dumps({"answer": "Diabetes", "context": "said so"}),
    ):
        _answers("memory_kv", answer, 1.0, 1.0)


@item(73, status="better", page=ANSWERS)
def sentences_go_to_a_judge() -> None:
    for answer in ("Diabetes, I believe.", "It is not Diabetes."):
        _answers("memory_kv", answer, None, 1.0)


@item(74, status="better", page=COMING)
def another_answer_goes_to_a_judge_since_it_may_be_an_alias() -> None:
    _answers("memory_kv", "Hypertension", None, 0.0)


@item(75)
def refusals_fail() -> None:
    for answer in ("I do not know.", " "):
        _answers("memory_kv", answer, 0.0, 0.0)


@item(76, status="better", page=ANSWERS)
def a_refusal_beside_a_context_that_names_the_answer_is_one() -> None:
    message = json.dumps({"answer": "I do not know", "context": "The patient has Diabetes."})
    _answers("memory_kv", message, 0.0, 1.0)


@item(77, status="better", page="docs/judges.md")
def the_memory_judge_is_shown_the_question() -> None:
    question = INPUT_BUILDERS["question"](cases("memory_kv")[0], Output(case_id="c", system="s", text="Gout"))
    same(question, "Which health issue is the biggest?")


@item(78, 82)
def web_questions_have_two_variants_and_hops() -> None:
    same(
        [case.tags["category"] for case in cases("web_search")], ["web_search_base", "web_search_no_snippet"]
    )
    same(cases("web_search_base")[0].tags["num_hops"], 3)


@item(83, status="better", page=ANSWERS)
def web_answers() -> None:
    _answers("web_search_base", "Zhong Shanshan", 1.0, 1.0)
    _answers("web_search_base", "Zhong Shanshan or Jack Ma", None, 1.0)
    _answers("web_search_base", "Shanshan Zhong", None, 0.0)


@item(84, status="better", page="docs/generate.md")
def the_web_may_be_a_folder() -> None:
    from fiducial.evaluation.generation.web.web_search import search_engine, web_world  # noqa: PLC0415 - here alone

    corpus = folder() / "pages.jsonl"
    corpus.write_text(json.dumps({"url": "https://tea.example", "title": "Tea", "text": "Hot tea"}) + "\n")
    world = web_world(search_engine(str(corpus)))()
    world.load({})
    same("https://tea.example" in str(world.duckduckgo_search("tea")), True)

"""Flights, insurance and the cards that pay for them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from fiducial.deterministic.environments.travel import TravelAPI

FLIGHT = {"travel_date": "2026-10-10", "travel_from": "SFO", "travel_to": "LAX", "travel_class": "economy"}
BOOKING = {**FLIGHT, "card_id": "card", "travel_cost": 400.0, "transaction_id": "42"}
SUPPORT = (
    "Thank you for contacting customer support. "
    "Your message has been received and we will get back to you shortly."
)


def agency(*, long_context: bool = False, **config: Any) -> TravelAPI:
    world = TravelAPI(today=lambda: date(2026, 6, 15))
    scenario = {
        "credit_card_list": {"card": {"card_number": "1", "balance": 1000.0}},
        "booking_record": {"b1": BOOKING},
        "access_token": "token",
        "token_expires_in": 2,
        "user_first_name": "Ann",
        "user_last_name": "Lee",
        **config,
    }
    world.load(scenario, long_context=long_context)
    return world


def balance(world: TravelAPI) -> float:
    return world.state()["credit_card_list"]["card"]["balance"]


class TestToken:
    def test_any_credentials_get_a_token(self) -> None:
        world = agency(token_expires_in=None)
        assert world.travel_get_login_status() == {"status": False}
        answer = world.authenticate_travel("id", "secret", "refresh", "read", "Ben", "Poe")
        token = answer.pop("access_token")
        assert answer == {"expires_in": 2, "token_type": "Bearer", "scope": "read"}
        assert (len(token), token.isdecimal()) == (6, True)
        assert world.travel_get_login_status() == {"status": True}
        state = world.state()
        assert (state["access_token"], state["user_first_name"], state["user_last_name"]) == (
            token,
            "Ben",
            "Poe",
        )

    @pytest.mark.parametrize(
        ("method", "arguments", "answer"),
        [
            ("register_credit_card", ("1", "2", "3", 4), {}),
            ("get_credit_card_balance", ("card",), {}),
            ("retrieve_invoice", ("b1",), {}),
            ("get_booking_history", (), {}),
            ("set_budget_limit", (1,), {}),
            ("cancel_booking", ("b1",), {"cancel_status": False}),
            ("book_flight", ("card", *FLIGHT.values()), {"booking_status": False}),
            ("purchase_insurance", ("all", "b1", 1, "card"), {"insurance_status": False}),
        ],
    )
    def test_a_wrong_or_expired_token_is_refused(
        self, method: str, arguments: tuple[Any, ...], answer: dict[str, Any]
    ) -> None:
        refused = getattr(agency(), method)("wrong", *arguments)
        assert refused == {**answer, "error": "Invalid access token"}
        expired = getattr(agency(token_expires_in=0), method)("token", *arguments)
        assert expired == {**answer, "error": "Token expired"}


class TestTraveller:
    @pytest.mark.parametrize(
        ("name", "born", "passport", "failure"),
        [
            (("Ann", "Lee"), "2008-06-15", "US1", None),
            (("Ann", "Lee"), "2008-06-16", "US1", "Traveler must be at least 18 years old."),
            (("Ann", "Lee"), "15/06/1990", "US1", "Invalid date of birth format. Please use YYYY-MM-DD."),
            (("Ann", "Lee"), "1990-06-15", "GB1", "Passport must be issued by the United States."),
            (
                ("Ben", "Lee"),
                "1990-06-15",
                "US1",
                "Cannot book flight information for another user.Expected Ann Lee, got Ben Lee",
            ),
        ],
    )
    def test_who_may_travel(
        self, name: tuple[str, str], born: str, passport: str, failure: str | None
    ) -> None:
        answer = agency().verify_traveler_information(*name, born, passport)
        if failure is None:
            assert answer == {"verification_status": True}
        else:
            assert answer == {"verification_status": False, "verification_failure": failure}


class TestCards:
    def test_a_card_is_registered_under_a_fresh_identifier(self) -> None:
        world = agency()
        card_id = world.register_credit_card("token", "1", "12/2030", "Ann", 7)["card_id"]
        assert (len(card_id), card_id.isdecimal()) == (12, True)
        card = dict(world.state()["credit_card_list"][card_id])
        assert 10_000 <= card.pop("balance") <= 99_999
        assert card == {
            "card_number": "1",
            "expiration_date": "12/2030",
            "cardholder_name": "Ann",
            "card_verification_number": 7,
        }

    def test_a_number_that_is_an_identifier_counts_as_registered(self) -> None:
        answer = agency().register_credit_card("token", "card", "12/2030", "Ann", 7)
        assert answer == {"error": "Card already registered"}

    def test_without_any_token_there_is_nothing_to_check(self) -> None:
        answer = agency(token_expires_in=None).register_credit_card("token", "1", "12/2030", "Ann", 7)
        assert answer == {"error": "Token not initialized"}

    def test_balances_are_told_by_identifier(self) -> None:
        world = agency()
        assert world.get_credit_card_balance("token", "card") == {"card_balance": 1000.0}
        assert world.get_credit_card_balance("token", "1") == {
            "error": "Card not registered. Here are a list of card_id's: ['card']"
        }
        assert world.get_all_credit_cards() == {
            "credit_card_list": {"card": {"card_number": "1", "balance": 1000.0}}
        }

    def test_a_budget_is_a_float(self) -> None:
        world = agency()
        assert world.set_budget_limit("token", 5) == {"budget_limit": 5.0}
        assert world.state()["budget_limit"] == 5.0
        assert world.get_budget_fiscal_year() == {"budget_fiscal_year": "2018"}

    def test_money_is_changed_from_and_to_dollars(self) -> None:
        world = agency()
        assert world.compute_exchange_rate("USD", "RMB", 3) == {"exchanged_value": 21.0}
        assert world.compute_exchange_rate("RMB", "USD", 3) == {"exchanged_value": 0.43}
        with pytest.raises(ValueError, match="No available exchange rate"):
            world.compute_exchange_rate("RMB", "EUR", 3)


class TestPrices:
    @pytest.mark.parametrize(
        ("day", "travel_class", "cost"),
        [
            ("2026-10-11", "economy", 200.0),
            ("2026-10-10", "economy", 400.0),
            ("2026-10-11", "business", 400.0),
            ("2026-10-11", "first", 1000.0),
        ],
    )
    def test_class_and_digits_of_the_date_multiply_the_base_price(
        self, day: str, travel_class: str, cost: float
    ) -> None:
        assert agency().get_flight_cost("SFO", "LAX", day, travel_class) == {"travel_cost_list": [cost]}

    def test_routes_have_a_direction(self) -> None:
        assert agency().get_flight_cost("LAX", "SFO", "2026-10-11", "economy") == {
            "travel_cost_list": [100.0]
        }
        with pytest.raises(ValueError, match="No available route"):
            agency().get_flight_cost("CIA", "SFO", "2026-10-11", "economy")

    def test_classes_are_three(self) -> None:
        with pytest.raises(ValueError, match="Options are: economy, business, first"):
            agency().get_flight_cost("SFO", "LAX", "2026-10-11", "cargo")

    def test_airports_are_found_by_city(self) -> None:
        world = agency()
        assert world.get_nearest_airport_by_city("Rome") == {"nearest_airport": "CIA"}
        assert world.get_nearest_airport_by_city("Oslo") == {"nearest_airport": "Unknown"}
        assert len(world.list_all_airports()) == 23


class TestBookings:
    def test_a_flight_is_booked_and_charged(self) -> None:
        world = agency(budget_limit=1000.0)
        answer = world.book_flight("token", "card", **FLIGHT)
        booking_id, transaction_id = answer["booking_id"], answer["transaction_id"]
        assert (len(booking_id), len(transaction_id)) == (7, 8)
        assert (answer["booking_status"], answer["booking_history"]) == (True, {})
        assert world.state()["booking_record"][booking_id] == {**BOOKING, "transaction_id": transaction_id}
        assert balance(world) == 600.0

    @pytest.mark.parametrize(
        ("change", "failure"),
        [
            ({"card_id": "none"}, "Card not registered"),
            ({"card_id": "bare"}, "Balance not found"),
            ({"travel_from": "XXX"}, "Invalid departure airport code: XXX"),
            ({"travel_to": "XXX"}, "Invalid destination airport code: XXX"),
            ({"travel_date": "10/10/2026"}, "Invalid date format. Use YYYY-MM-DD."),
            ({"travel_from": "CIA"}, "No available route for the given airports."),
            ({"travel_class": "first"}, "Insufficient funds"),
        ],
    )
    def test_what_is_wrong_is_told_and_nothing_changes(self, change: dict[str, str], failure: str) -> None:
        cards = {"card": {"balance": 1000.0}, "bare": {}}
        world = agency(credit_card_list=cards)
        answer = world.book_flight("token", **{"card_id": "card", **FLIGHT, **change})
        assert answer == {"booking_status": False, "error": failure}
        assert world.state() == agency(credit_card_list=cards).state()

    def test_an_unknown_class_is_told_with_the_known_ones(self) -> None:
        answer = agency().book_flight("token", "card", **{**FLIGHT, "travel_class": "cargo"})
        assert answer["error"].startswith("Invalid travel class. Must be one of {")
        assert all(f"'{name}'" in answer["error"] for name in ("economy", "business", "first"))

    def test_the_card_must_hold_the_whole_budget(self) -> None:
        answer = agency(budget_limit=1000.5).book_flight("token", "card", **FLIGHT)
        assert answer == {"booking_status": False, "error": "Balance is less than budget limit"}

    def test_an_invoice_repeats_the_booking_without_its_card(self) -> None:
        invoice = {name: value for name, value in BOOKING.items() if name != "card_id"}
        assert agency().retrieve_invoice("token", "b1") == {"invoice": {"booking_id": "b1", **invoice}}
        assert agency().retrieve_invoice("token", insurance_id="b1") == {"error": "Booking not found"}
        with pytest.raises(KeyError, match="travel_cost"):
            agency(booking_record={"b1": FLIGHT}).retrieve_invoice("token", "b1")

    def test_the_history_is_a_copy(self) -> None:
        world = agency()
        world.get_booking_history("token")["booking_history"]["b1"]["travel_cost"] = 0
        assert world.state()["booking_record"] == {"b1": BOOKING}

    def test_cancelling_refunds_the_card(self) -> None:
        world = agency()
        assert world.cancel_booking("token", "b1") == {"cancel_status": True}
        assert balance(world) == 1400.0
        assert world.cancel_booking("token", "b1") == {"cancel_status": False, "error": "Booking not found"}

    def test_a_booking_without_a_card_cannot_be_refunded(self) -> None:
        with pytest.raises(KeyError, match="card_id"):
            agency(booking_record={"b1": {}}).cancel_booking("token", "b1")

    @pytest.mark.parametrize(
        ("booking_id", "cost", "card_id", "failure"),
        [
            ("b1", 51, "card", "Exceeded budget limit"),
            ("b2", 50, "card", "Booking not found"),
            ("b1", 50, "none", "Credit card not registered"),
        ],
    )
    def test_some_insurances_are_refused(
        self, booking_id: str, cost: float, card_id: str, failure: str
    ) -> None:
        answer = agency(budget_limit=50.0).purchase_insurance("token", "all", booking_id, cost, card_id)
        assert answer == {"insurance_status": False, "error": failure}

    def test_an_insurance_may_overdraw_the_card(self) -> None:
        world = agency()
        answer = world.purchase_insurance("token", "all", "b1", 1500, "card")
        assert (answer["insurance_status"], len(answer["insurance_id"])) == (True, 9)
        assert balance(world) == -500.0

    def test_support_answers_about_bookings(self) -> None:
        assert agency().contact_customer_support("b1", "help") == {"customer_support_message": SUPPORT}
        assert agency().contact_customer_support("b2", "help") == {"error": "Booking not found"}


class TestLongContext:
    def test_cards_and_bookings_are_added_where_their_names_are_free(self) -> None:
        mine = {"1234567812345678": {"balance": 1.0}}
        state = agency(long_context=True, credit_card_list=mine).state()
        assert len(state["credit_card_list"]) == 22
        assert state["credit_card_list"]["1234567812345678"] == {"balance": 1.0}
        assert len(state["booking_record"]) == 17

    def test_a_price_is_asked_and_all_are_told(self) -> None:
        world = agency(long_context=True)
        prices = world.get_flight_cost("SFO", "JFK", "2026-10-11", "business")["travel_cost_list"]
        assert (len(prices), prices[0]) == (153, 400.0)

    def test_a_booking_charges_its_own_price_and_tells_all_bookings(self) -> None:
        world = agency(long_context=True)
        answer = world.book_flight("token", "card", **FLIGHT)
        assert balance(world) == 600.0
        assert len(answer["booking_history"]) == 18

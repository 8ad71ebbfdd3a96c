"""Travel agency environment: flights, insurance and credit cards behind an access token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any

from .world import World, copy_value, error, load_table

_ADULT = 18
_TOKEN_LIFETIME = 2
_CLASS_FACTORS = {"economy": 1, "business": 2, "first": 5}
_INVOICE_FIELDS = (
    "travel_date",
    "travel_from",
    "travel_to",
    "travel_class",
    "travel_cost",
    "transaction_id",
)


class TravelAPI(World):
    """Books and cancels flights, insures them, and keeps the cards that pay for them.

    Args:
        today: Returns the date on which a traveller's age is computed.
    """

    _TABLE = "travel"

    credit_card_list: dict[str, dict[str, Any]]
    booking_record: dict[str, dict[str, Any]]
    access_token: str | None
    token_type: str | None
    token_expires_in: int | None
    token_scope: str | None
    user_first_name: str | None
    user_last_name: str | None
    budget_limit: float | None
    long_context: bool

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        self._today = today

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario; long context adds cards and bookings under unused identifiers."""
        super().load(config, long_context)
        if long_context:
            bulk = load_table("travel_long")
            for card_id, card in bulk["credit_card_list"].items():
                self.credit_card_list.setdefault(card_id, dict(card))
            for booking_id, booking in bulk["booking_record"].items():
                self.booking_record.setdefault(booking_id, dict(booking))

    # The user.

    def authenticate_travel(  # noqa: PLR0917 - the API's signature
        self,
        client_id: str,
        client_secret: str,
        refresh_token: str,
        grant_type: str,
        user_first_name: str,
        user_last_name: str,
    ) -> dict[str, Any]:
        """Get an access token; any credentials will do, and it never expires."""
        del client_id, client_secret, refresh_token
        self.token_expires_in = _TOKEN_LIFETIME
        self.access_token = self._digits(6)
        self.token_type = "Bearer"  # noqa: S105 - a kind of token
        self.token_scope = grant_type
        self.user_first_name = user_first_name
        self.user_last_name = user_last_name
        return {
            "expires_in": self.token_expires_in,
            "access_token": self.access_token,
            "token_type": self.token_type,
            "scope": self.token_scope,
        }

    def travel_get_login_status(self) -> dict[str, Any]:
        """Return whether there is a token that has not expired."""
        return {"status": self.token_expires_in is not None and self.token_expires_in != 0}

    def verify_traveler_information(
        self, first_name: str, last_name: str, date_of_birth: str, passport_number: str
    ) -> dict[str, Any]:
        """Return whether a traveller is the user, an adult and holds a US passport."""
        if (self.user_first_name, self.user_last_name) != (first_name, last_name):
            return _unverified(
                "Cannot book flight information for another user."
                f"Expected {self.user_first_name} {self.user_last_name}, got {first_name} {last_name}"
            )
        birthday = _day(date_of_birth)
        if birthday is None:
            return _unverified("Invalid date of birth format. Please use YYYY-MM-DD.")
        today = self._today()
        had_birthday = (today.month, today.day) >= (birthday.month, birthday.day)
        if today.year - birthday.year - (not had_birthday) < _ADULT:
            return _unverified("Traveler must be at least 18 years old.")
        if not passport_number.startswith("US"):
            return _unverified("Passport must be issued by the United States.")
        return {"verification_status": True}

    # Cards and budget.

    def register_credit_card(
        self,
        access_token: str,
        card_number: str,
        expiration_date: str,
        cardholder_name: str,
        card_verification_number: int,
    ) -> dict[str, Any]:
        """Register a card under a fresh identifier, with a random balance."""
        if self.token_expires_in is None:
            return error("Token not initialized")
        problem = self._token_problem(access_token)
        if problem:
            return error(problem)
        # As in BFCL, the number is compared with identifiers, so a card can be registered twice.
        if card_number in self.credit_card_list:
            return error("Card already registered")
        card_id = self._digits(12)
        self.credit_card_list[card_id] = {
            "card_number": card_number,
            "expiration_date": expiration_date,
            "cardholder_name": cardholder_name,
            "card_verification_number": card_verification_number,
            "balance": self._random.randint(10_000, 99_999),
        }
        return {"card_id": card_id}

    def get_credit_card_balance(self, access_token: str, card_id: str) -> dict[str, Any]:
        """Return the balance of a card."""
        problem = self._token_problem(access_token)
        if problem:
            return error(problem)
        if card_id not in self.credit_card_list:
            return error(f"Card not registered. Here are a list of card_id's: {list(self.credit_card_list)}")
        return {"card_balance": self.credit_card_list[card_id]["balance"]}

    def get_all_credit_cards(self) -> dict[str, Any]:
        """Return all cards; needs no token."""
        return {"credit_card_list": self.credit_card_list}

    def set_budget_limit(self, access_token: str, budget_limit: float) -> dict[str, Any]:
        """Set the budget: the minimum balance for a flight, and the maximum cost of an insurance."""
        problem = self._token_problem(access_token)
        if problem:
            return error(problem)
        self.budget_limit = float(budget_limit)
        return {"budget_limit": self.budget_limit}

    def get_budget_fiscal_year(
        self,
        lastModifiedAfter: str | None = None,  # noqa: N803 - the API's name
        includeRemoved: str | None = None,  # noqa: N803 - the API's name
    ) -> dict[str, Any]:
        """Return the fiscal year, which never changes."""
        del lastModifiedAfter, includeRemoved
        return {"budget_fiscal_year": "2018"}

    def compute_exchange_rate(self, base_currency: str, target_currency: str, value: float) -> dict[str, Any]:
        """Convert an amount to another currency; one of the two must be the dollar."""
        rates = load_table(self._TABLE)["units_per_dollar"]
        if base_currency == "USD" and target_currency in rates:
            return {"exchanged_value": float(value * rates[target_currency])}
        if target_currency == "USD" and base_currency in rates:
            return {"exchanged_value": round(value / rates[base_currency], 2)}
        raise ValueError("No available exchange rate for the given currencies.")

    # Airports and prices.

    def list_all_airports(self) -> list[str]:
        """Return the codes of all airports."""
        return list(load_table(self._TABLE)["airports"])

    def get_nearest_airport_by_city(self, location: str) -> dict[str, Any]:
        """Return the code of a city's airport."""
        return {"nearest_airport": load_table(self._TABLE)["nearest_airport"].get(location, "Unknown")}

    def get_flight_cost(
        self, travel_from: str, travel_to: str, travel_date: str, travel_class: str
    ) -> dict[str, Any]:
        """Return the cost of a flight.

        In long context, return the cost of every flight on that date in that class.
        """
        cost = _price(travel_from, travel_to, travel_date, travel_class)
        if self.long_context:
            return {"travel_cost_list": _all_prices(travel_date, travel_class)}
        return {"travel_cost_list": [cost]}

    # Bookings.

    def book_flight(  # noqa: PLR0917 - the API's signature
        self,
        access_token: str,
        card_id: str,
        travel_date: str,
        travel_from: str,
        travel_to: str,
        travel_class: str,
    ) -> dict[str, Any]:
        """Book a flight and charge a card; its balance must cover the price and the whole budget."""
        problem = (
            self._token_problem(access_token)
            or self._card_problem(card_id)
            or _flight_problem(travel_date, travel_from, travel_to, travel_class)
        )
        if problem:
            return {"booking_status": False, "error": problem}
        try:
            cost = _price(travel_from, travel_to, travel_date, travel_class)
        except ValueError as no_price:
            return {"booking_status": False, "error": str(no_price)}
        card = self.credit_card_list[card_id]
        if card["balance"] < cost:
            return {"booking_status": False, "error": "Insufficient funds"}
        if self.budget_limit is not None and card["balance"] < self.budget_limit:
            return {"booking_status": False, "error": "Balance is less than budget limit"}
        card["balance"] -= cost
        booking_id, transaction_id = self._digits(7), self._digits(8)
        self.booking_record[booking_id] = {
            "card_id": card_id,
            "travel_date": travel_date,
            "travel_from": travel_from,
            "travel_to": travel_to,
            "travel_class": travel_class,
            "travel_cost": cost,
            "transaction_id": transaction_id,
        }
        return {
            "booking_id": booking_id,
            "transaction_id": transaction_id,
            "booking_status": True,
            "booking_history": self.booking_record if self.long_context else {},
        }

    def retrieve_invoice(
        self, access_token: str, booking_id: str | None = None, insurance_id: str | None = None
    ) -> dict[str, Any]:
        """Return the invoice of a booking; insurances have no invoices."""
        del insurance_id
        problem = self._token_problem(access_token)
        if problem:
            return error(problem)
        if booking_id not in self.booking_record:
            return error("Booking not found")
        booking = self.booking_record[booking_id]
        return {"invoice": {"booking_id": booking_id, **{name: booking[name] for name in _INVOICE_FIELDS}}}

    def get_booking_history(self, access_token: str) -> dict[str, Any]:
        """Return all bookings."""
        problem = self._token_problem(access_token)
        return error(problem) if problem else {"booking_history": copy_value(self.booking_record)}

    def cancel_booking(self, access_token: str, booking_id: str) -> dict[str, Any]:
        """Cancel a booking and refund its card."""
        problem = self._token_problem(access_token)
        if not problem and booking_id not in self.booking_record:
            problem = "Booking not found"
        if problem:
            return {"cancel_status": False, "error": problem}
        booking = self.booking_record[booking_id]
        card_id, cost = booking["card_id"], booking["travel_cost"]
        self.credit_card_list[card_id]["balance"] += cost
        del self.booking_record[booking_id]
        return {"cancel_status": True}

    def purchase_insurance(
        self, access_token: str, insurance_type: str, booking_id: str, insurance_cost: float, card_id: str
    ) -> dict[str, Any]:
        """Insure a booking and charge a card, whatever its balance."""
        del insurance_type
        problem = self._token_problem(access_token)
        if not problem and self.budget_limit is not None and self.budget_limit < insurance_cost:
            problem = "Exceeded budget limit"
        if not problem and booking_id not in self.booking_record:
            problem = "Booking not found"
        if not problem and card_id not in self.credit_card_list:
            problem = "Credit card not registered"
        if problem:
            return {"insurance_status": False, "error": problem}
        self.credit_card_list[card_id]["balance"] -= insurance_cost
        return {"insurance_id": self._digits(9), "insurance_status": True}

    def contact_customer_support(self, booking_id: str, message: str) -> dict[str, Any]:
        """Leave a message about a booking."""
        del message
        if booking_id not in self.booking_record:
            return error("Booking not found")
        return {
            "customer_support_message": "Thank you for contacting customer support. "
            "Your message has been received and we will get back to you shortly."
        }

    def _token_problem(self, access_token: str) -> str | None:
        if self.token_expires_in == 0:
            return "Token expired"
        return None if access_token == self.access_token else "Invalid access token"

    def _card_problem(self, card_id: str) -> str | None:
        if card_id not in self.credit_card_list:
            return "Card not registered"
        return None if "balance" in self.credit_card_list[card_id] else "Balance not found"

    def _digits(self, count: int) -> str:
        return str(self._random.randint(10 ** (count - 1), 10**count - 1))


def _flight_problem(travel_date: str, travel_from: str, travel_to: str, travel_class: str) -> str | None:
    airports = load_table("travel")["airports"]
    if travel_from not in airports:
        return f"Invalid departure airport code: {travel_from}"
    if travel_to not in airports:
        return f"Invalid destination airport code: {travel_to}"
    if _day(travel_date) is None:
        return "Invalid date format. Use YYYY-MM-DD."
    if not _is_class(travel_class):
        # BFCL prints a set, whose order varies by process; this is one of its orders.
        return "Invalid travel class. Must be one of {'first', 'business', 'economy'}"
    return None


def _unverified(why: str) -> dict[str, Any]:
    return {"verification_status": False, "verification_failure": why}


def _day(text: str) -> date | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007 - a day has no time zone
    except ValueError:
        return None


def _price(travel_from: str, travel_to: str, travel_date: str, travel_class: str) -> float:
    """Return the price of one flight; the return flight may have another price.

    It is the route's base price times the factor of the class, doubled on dates with an even sum of digits.
    """
    route = (travel_from, travel_to)
    if route not in _base_prices():
        raise ValueError("No available route for the given airports.")
    return float(_base_prices()[route] * _multiplier(travel_date, travel_class))


def _all_prices(travel_date: str, travel_class: str) -> list[float]:
    multiplier = _multiplier(travel_date, travel_class)
    return [float(base * multiplier) for base in _base_prices().values()]


def _is_class(travel_class: str) -> bool:
    return travel_class in _CLASS_FACTORS


def _multiplier(travel_date: str, travel_class: str) -> int:
    if not _is_class(travel_class):
        raise ValueError("Invalid travel class. Options are: economy, business, first.")
    digit_sum = sum(int(character) for character in travel_date if character.isdigit())
    return _CLASS_FACTORS[travel_class] * (2 if digit_sum % 2 == 0 else 1)


@cache
def _base_prices() -> dict[tuple[str, str], int]:
    return {(start, end): base for start, end, base in load_table("travel")["base_prices"]}

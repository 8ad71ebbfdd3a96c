"""The broker's desk."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.environments.trading import TradingBot

STOCKS = {
    "AAA": {"price": 10.0, "percent_change": -2.0, "volume": 1.0, "MA(5)": 9.5, "MA(20)": 9.0},
    "BBB": {"price": 50.0, "percent_change": 0.5, "volume": 1.0, "MA(5)": 49.0, "MA(20)": 48.0},
}
ORDER = {"id": 1, "order_type": "Buy", "symbol": "AAA", "price": 9.0, "amount": 2, "status": "Completed"}


def broker(*, long_context: bool = False, **config: Any) -> TradingBot:
    world = TradingBot()
    scenario = {
        "stocks": STOCKS,
        "orders": {"1": ORDER, "2": {**ORDER, "id": 2, "status": "Pending"}},
        "order_counter": 3,
        "account_info": {"account_id": 1, "balance": 100.0, "binding_card": 2},
        "authenticated": True,
        "market_status": "Open",
        "watch_list": ["AAA"],
        **config,
    }
    world.load(scenario, long_context=long_context)
    return world


class TestMarket:
    def test_the_clock_stands_still(self) -> None:
        assert broker().get_current_time() == {"current_time": "10:30 AM"}

    def test_companies_have_symbols(self) -> None:
        assert broker().get_symbol_by_name("Nvidia") == {"symbol": "NVDA"}
        assert broker().get_symbol_by_name("Nobody") == {"symbol": "Stock not found"}

    def test_a_stock_is_known_by_its_symbol(self) -> None:
        assert broker().get_stock_info("AAA") == STOCKS["AAA"]
        assert broker().get_stock_info("CCC") == {"error": "Stock with symbol 'CCC' not found."}

    def test_an_unknown_sector_is_empty(self) -> None:
        assert broker().get_available_stocks("Automobile") == {"stock_list": ["TSLA", "F", "GM"]}
        assert broker().get_available_stocks("Sports") == {"stock_list": []}

    def test_an_unknown_stock_costs_nothing(self) -> None:
        stocks = ["AAA", "CCC", "BBB"]
        assert broker().filter_stocks_by_price(stocks, 0, 10) == {"filtered_stocks": ["AAA", "CCC"]}

    def test_changes_count_up_and_down(self) -> None:
        world = broker()
        assert world.notify_price_change(["AAA", "BBB", "CCC"], 0.5) == {
            "notification": "Stocks AAA, BBB have significant price changes."
        }
        assert world.notify_price_change(["BBB", "CCC"], 1) == {
            "notification": "No significant price changes in the selected stocks."
        }


class TestOrders:
    def test_the_scenarios_order_keys_become_numbers_where_they_are_digits(self) -> None:
        assert list(broker(orders={"12": ORDER, "note": "x"}).state()["orders"]) == [12, "note"]

    def test_an_order_is_known_by_its_number(self) -> None:
        assert broker().get_order_details(1) == ORDER
        assert broker().get_order_details(9) == {
            "error": "Order with ID 9 not found.Here is the list of orders_id: [1, 2]"
        }
        assert broker().get_order_history() == {"history": [1, 2]}

    def test_an_order_is_open_in_the_book_and_pending_in_the_answer(self) -> None:
        world = broker()
        assert world.place_order("Buy", "AAA", 10, 3) == {
            "order_id": 3,
            "order_type": "Buy",
            "status": "Pending",
            "price": 10.0,
            "amount": 3,
        }
        assert world.get_order_details(3)["status"] == "Open"
        assert world.state()["order_counter"] == 4
        assert world.state()["account_info"]["balance"] == 100.0

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (("Buy", "CCC", 1, 1), "Invalid stock symbol: CCC"),
            (("Buy", "AAA", 0, 1), "Price and amount must be positive values."),
            (("Sell", "AAA", 1, -1), "Price and amount must be positive values."),
            (("BUY", "AAA", 60, 2), "Insufficient funds: required $120.00 but only $100.00 available."),
        ],
    )
    def test_some_orders_are_refused(self, arguments: tuple[Any, ...], text: str) -> None:
        world = broker()
        assert world.place_order(*arguments) == {"error": text}
        assert world.state() == broker().state()

    def test_an_order_may_take_the_whole_balance(self) -> None:
        assert broker().place_order("Buy", "AAA", 50, 2)["status"] == "Pending"
        assert "error" in broker().place_order("Buy", "AAA", 50.01, 2)

    def test_selling_needs_no_funds(self) -> None:
        assert broker().place_order("Sell", "AAA", 1e6, 10)["status"] == "Pending"

    def test_cancelling_works_again_and_again_but_not_on_completed_orders(self) -> None:
        world = broker(authenticated=False)
        cancelled = {"order_id": 2, "status": "Cancelled"}
        assert [world.cancel_order(2), world.cancel_order(2)] == [cancelled, cancelled]
        assert world.cancel_order(1) == {"error": "Can't cancel order 1. Order is already completed."}
        assert world.cancel_order(9) == {"error": "Order with ID 9 not found."}


class TestAccount:
    def test_anybody_logs_in_once_and_out_once(self) -> None:
        world = broker(authenticated=False)
        assert world.trading_get_login_status() == {"status": False}
        assert world.trading_login("ann", "x") == {"status": "Logged in successfully"}
        assert world.trading_login("ben", "y") == {"status": "Already logged in"}
        assert world.trading_logout() == {"status": "Logged out successfully"}
        assert world.trading_logout() == {"status": "No user is currently logged in"}

    @pytest.mark.parametrize(
        ("method", "arguments", "purpose"),
        [
            ("place_order", ("Buy", "AAA", 1, 1), "place an order"),
            ("withdraw_funds", (1,), "make a transaction"),
            ("fund_account", (1,), "fund the account"),
            ("get_account_info", (), "view account information"),
            ("remove_stock_from_watchlist", ("AAA",), "modify the watchlist"),
        ],
    )
    def test_some_calls_need_a_login(self, method: str, arguments: tuple[Any, ...], purpose: str) -> None:
        answer = getattr(broker(authenticated=False), method)(*arguments)
        assert answer == {"error": f"User not authenticated. Please log in to {purpose}."}

    def test_some_answer_that_in_a_list(self) -> None:
        world = broker(authenticated=False)
        please = "User not authenticated. Please log in to view"
        assert world.get_order_history() == [{"error": f"{please} order history."}]
        assert world.get_transaction_history() == [{"error": f"{please} transaction history."}]
        assert world.get_watchlist() == [f"Error: {please} the watchlist."]

    def test_money_moves_and_leaves_a_trace_within_a_day(self) -> None:
        world = broker()
        assert world.fund_account(50) == {"status": "Account funded successfully", "new_balance": 150.0}
        assert world.withdraw_funds(20) == {"status": "Withdrawal successful", "new_balance": 130.0}
        history = world.state()["transaction_history"]
        assert [(entry["type"], entry["amount"]) for entry in history] == [
            ("deposit", 50),
            ("withdrawal", 20),
        ]
        assert all("2024-09-01 10:30:00" <= entry["timestamp"] <= "2024-09-02 10:30:00" for entry in history)

    @pytest.mark.parametrize(
        ("amount", "text"),
        [(0, "Transaction amount must be positive."), (101, "Insufficient funds for withdrawal.")],
    )
    def test_some_withdrawals_are_refused(self, amount: float, text: str) -> None:
        assert broker().withdraw_funds(amount) == {"error": text}

    def test_a_closed_market_pays_nothing_out_but_takes_money_in(self) -> None:
        world = broker(market_status="Closed")
        assert world.withdraw_funds(1) == {"error": "Market is closed. Transactions are not allowed."}
        assert world.fund_account(0) == {"error": "Funding amount must be positive."}
        assert world.fund_account(1)["new_balance"] == 101.0

    def test_the_history_runs_from_midnight_to_midnight(self) -> None:
        first = {"type": "deposit", "amount": 1, "timestamp": "2024-01-01 12:00:00"}
        second = {"type": "deposit", "amount": 2, "timestamp": "2024-02-01 12:00:00"}
        world = broker(transaction_history=[first, second])
        assert world.get_transaction_history() == {"transaction_history": [first, second]}
        assert world.get_transaction_history("2024-01-15") == {"transaction_history": [second]}
        assert world.get_transaction_history(end_date="2024-02-01") == {"transaction_history": [first]}
        with pytest.raises(ValueError, match="does not match format"):
            world.get_transaction_history("yesterday")


class TestWatchList:
    def test_known_stocks_are_watched_once(self) -> None:
        world = broker(authenticated=False)
        assert world.add_to_watchlist("BBB") == {"watchlist": ["AAA", "BBB"]}
        assert world.add_to_watchlist("BBB") == {"watchlist": ["AAA", "BBB"]}
        assert world.add_to_watchlist("CCC") == {"watchlist": ["AAA", "BBB"]}

    def test_a_stock_is_unwatched_once(self) -> None:
        world = broker()
        assert world.remove_stock_from_watchlist("AAA") == {
            "status": "Stock AAA removed from watchlist successfully."
        }
        assert world.remove_stock_from_watchlist("AAA") == {"error": "Stock AAA not found in watchlist."}
        assert world.get_watchlist() == {"watchlist": []}


class TestLongContext:
    def test_answers_grow_and_the_state_does_not(self) -> None:
        world = broker(long_context=True)
        assert len(world.get_stock_info("AAA")["MA(5)"]) == 2000
        assert len(world.get_available_stocks("Technology")["stock_list"]) == 1004
        assert world.get_available_stocks("Sports") == {"stock_list": []}
        assert "AAA is one of" in world.get_order_details(1)["metadata"]["company_overview"]
        history = world.get_transaction_history()
        assert isinstance(history, dict)
        assert len(history["transaction_history"]) == 1000
        assert world.state() == {**broker().state(), "long_context": True}

    def test_the_watch_list_is_bare_and_ends_in_an_ellipsis(self) -> None:
        watched = broker(long_context=True).get_watchlist()
        assert isinstance(watched, list)
        assert (watched[0], watched[-1]) == ("AAA", ...)

"""Brokerage environment: stocks, orders, a watch list and an account, on a fixed day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from .world import World, error, load_table

_NOW = datetime(2024, 9, 1, 10, 30)  # noqa: DTZ001 - the API's clock stands still and has no time zone
_SECONDS_PER_DAY = 86_400
# Forms of the moments in the data.
_TIMESTAMP = "%Y-%m-%d %H:%M:%S"
_DATE = "%Y-%m-%d"


class TradingBot(World):
    """Looks up stocks, places and cancels orders, deposits and withdraws money."""

    _TABLE = "trading"

    orders: dict[Any, Any]
    account_info: dict[str, Any]
    authenticated: bool
    market_status: str
    order_counter: int
    stocks: dict[str, dict[str, Any]]
    watch_list: list[str]
    transaction_history: list[dict[str, Any]]
    long_context: bool

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario; keys of its orders that are digits become numbers."""
        super().load(config, long_context)
        self.orders = {
            int(key) if isinstance(key, str) and key.isdecimal() else key: order
            for key, order in self.orders.items()
        }

    # The market.

    def get_current_time(self) -> dict[str, Any]:
        """Return the time of day, which never changes."""
        return {"current_time": _NOW.strftime("%I:%M %p")}

    def get_symbol_by_name(self, name: str) -> dict[str, Any]:
        """Return the symbol of a company."""
        return {"symbol": load_table(self._TABLE)["symbols"].get(name, "Stock not found")}

    def get_stock_info(self, symbol: str) -> dict[str, Any]:
        """Return price, change, volume and moving averages of a stock."""
        if symbol not in self.stocks:
            return error(f"Stock with symbol '{symbol}' not found.")
        stock = self.stocks[symbol]
        if not self.long_context:
            return stock
        averages = load_table("trading_long")["averages"]
        return {**stock, **{name: list(numbers) for name, numbers in averages.items()}}

    def get_available_stocks(self, sector: str) -> dict[str, Any]:
        """Return the symbols of a sector."""
        symbols = list(load_table(self._TABLE)["sectors"].get(sector, []))
        if self.long_context:
            symbols.extend(load_table("trading_long")["sectors"].get(sector, []))
        return {"stock_list": symbols}

    def filter_stocks_by_price(self, stocks: list[str], min_price: float, max_price: float) -> dict[str, Any]:
        """Return the given stocks that are within a price range; an unknown one has price 0."""
        return {
            "filtered_stocks": [
                symbol
                for symbol in stocks
                if min_price <= (self.stocks[symbol]["price"] if symbol in self.stocks else 0) <= max_price
            ]
        }

    def notify_price_change(self, stocks: list[str], threshold: float) -> dict[str, Any]:
        """Report the given stocks that moved up or down by at least a percentage."""
        symbols_moved = [
            symbol
            for symbol in stocks
            if symbol in self.stocks and abs(self.stocks[symbol]["percent_change"]) >= threshold
        ]
        if not symbols_moved:
            return {"notification": "No significant price changes in the selected stocks."}
        return {"notification": f"Stocks {', '.join(symbols_moved)} have significant price changes."}

    # Orders.

    def get_order_details(self, order_id: int) -> dict[str, Any]:
        """Return one order."""
        if order_id not in self.orders:
            return error(
                f"Order with ID {order_id} not found.Here is the list of orders_id: {list(self.orders)}"
            )
        order = self.orders[order_id]
        if not self.long_context:
            return order
        details = order.copy()
        symbol = details["symbol"]
        texts = load_table("trading_long")["order_details"]
        details["metadata"] = {name: text.format(symbol=symbol) for name, text in texts.items()}
        return details

    def get_order_history(self) -> dict[str, Any] | list[dict[str, Any]]:
        """Return the numbers of all orders."""
        if not self.authenticated:
            return [error("User not authenticated. Please log in to view order history.")]
        return {"history": list(self.orders)}

    def place_order(self, order_type: str, symbol: str, price: float, amount: int) -> dict[str, Any]:
        """Order stocks under the next number; the money stays in the account."""
        if not self.authenticated:
            return error("User not authenticated. Please log in to place an order.")
        if symbol not in self.stocks:
            return error(f"Invalid stock symbol: {symbol}")
        if price <= 0 or amount <= 0:
            return error("Price and amount must be positive values.")
        price = float(price)
        if order_type.lower() == "buy":
            cost, balance = price * int(amount), self.account_info["balance"]
            if cost > balance:
                return error(f"Insufficient funds: required ${cost:.2f} but only ${balance:.2f} available.")
        order_id = self.order_counter
        self.orders[order_id] = {
            "id": order_id,
            "order_type": order_type,
            "symbol": symbol,
            "price": price,
            "amount": amount,
            "status": "Open",
        }
        self.order_counter += 1
        return {
            "order_id": order_id,
            "order_type": order_type,
            "status": "Pending",
            "price": price,
            "amount": amount,
        }

    def cancel_order(self, order_id: int) -> dict[str, Any]:
        """Cancel an order that is not completed; needs no login, and may be repeated."""
        if order_id not in self.orders:
            return error(f"Order with ID {order_id} not found.")
        order = self.orders[order_id]
        if order["status"] == "Completed":
            return error(f"Can't cancel order {order_id}. Order is already completed.")
        order["status"] = "Cancelled"
        return {"order_id": order_id, "status": "Cancelled"}

    # The account.

    def trading_login(self, username: str, password: str) -> dict[str, Any]:
        """Log in; any name and password will do."""
        del username, password
        if self.authenticated:
            return {"status": "Already logged in"}
        self.authenticated = True
        return {"status": "Logged in successfully"}

    def trading_logout(self) -> dict[str, Any]:
        """Log out."""
        if not self.authenticated:
            return {"status": "No user is currently logged in"}
        self.authenticated = False
        return {"status": "Logged out successfully"}

    def trading_get_login_status(self) -> dict[str, Any]:
        """Return whether the user is logged in."""
        return {"status": bool(self.authenticated)}

    def get_account_info(self) -> dict[str, Any]:
        """Return account number, balance and bound card."""
        if not self.authenticated:
            return error("User not authenticated. Please log in to view account information.")
        return self.account_info

    def fund_account(self, amount: float) -> dict[str, Any]:
        """Deposit money."""
        if not self.authenticated:
            return error("User not authenticated. Please log in to fund the account.")
        if amount <= 0:
            return error("Funding amount must be positive.")
        self.account_info["balance"] += amount
        self._book("deposit", amount)
        return {"status": "Account funded successfully", "new_balance": self.account_info["balance"]}

    def withdraw_funds(self, amount: float) -> dict[str, Any]:
        """Withdraw money, if the market is open."""
        if not self.authenticated:
            return error("User not authenticated. Please log in to make a transaction.")
        if self.market_status != "Open":
            return error("Market is closed. Transactions are not allowed.")
        if amount <= 0:
            return error("Transaction amount must be positive.")
        if amount > self.account_info["balance"]:
            return error("Insufficient funds for withdrawal.")
        self.account_info["balance"] -= amount
        self._book("withdrawal", amount)
        return {"status": "Withdrawal successful", "new_balance": self.account_info["balance"]}

    def get_transaction_history(
        self, start_date: str | None = None, end_date: str | None = None
    ) -> dict[str, Any] | list[dict[str, Any]]:
        """Return deposits and withdrawals between two midnights."""
        if not self.authenticated:
            return [error("User not authenticated. Please log in to view transaction history.")]
        history = self.transaction_history
        if start_date:
            start = _moment(start_date, _DATE)
            history = [entry for entry in history if _moment(entry["timestamp"], _TIMESTAMP) >= start]
        if end_date:
            end = _moment(end_date, _DATE)
            history = [entry for entry in history if _moment(entry["timestamp"], _TIMESTAMP) <= end]
        if self.long_context:
            history = [*history, *(dict(entry) for entry in load_table("trading_long")["transactions"])]
        return {"transaction_history": history}

    def _book(self, kind: str, amount: float) -> None:
        """Add a transaction to the history, at a random time of the next 24 hours."""
        moment = _NOW + timedelta(seconds=self._random.randint(0, _SECONDS_PER_DAY))
        self.transaction_history.append(
            {"type": kind, "amount": amount, "timestamp": moment.strftime(_TIMESTAMP)}
        )

    # The watch list.

    def get_watchlist(self) -> dict[str, Any] | list[Any]:
        """Return the watched stocks.

        In long context, return a bare list that ends in Python's Ellipsis, as BFCL does.
        """
        if not self.authenticated:
            return ["Error: User not authenticated. Please log in to view the watchlist."]
        if self.long_context:
            return [*self.watch_list, *load_table("trading_long")["watch_list"], ...]
        return {"watchlist": self.watch_list}

    def add_to_watchlist(self, stock: str) -> dict[str, Any]:
        """Add a known stock to the watch list; needs no login."""
        if stock not in self.watch_list and stock in self.stocks:
            self.watch_list.append(stock)
        return {"watchlist": self.watch_list}

    def remove_stock_from_watchlist(self, symbol: str) -> dict[str, Any]:
        """Remove a stock from the watch list."""
        if not self.authenticated:
            return error("User not authenticated. Please log in to modify the watchlist.")
        if symbol not in self.watch_list:
            return error(f"Stock {symbol} not found in watchlist.")
        self.watch_list.remove(symbol)
        return {"status": f"Stock {symbol} removed from watchlist successfully."}


def _moment(text: str, form: str) -> datetime:
    return datetime.strptime(text, form)  # noqa: DTZ007 - the API knows no time zones

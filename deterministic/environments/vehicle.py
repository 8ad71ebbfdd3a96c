"""Car environment: doors, engine, brakes, climate, tyres and navigation."""
# ruff: noqa: N802, N803, N815 - names are those of the API

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from .world import World, error, load_table, sum_left_to_right

# Numbers of BFCL's car.
_TANK_GALLONS = 50
_MILES_PER_GALLON = 20.0
_GALLONS_PER_LITER = 0.264172
_LITERS_PER_GALLON = 3.78541
_FULL_BRAKE_FORCE = 1000.0
_PARKING_BRAKE_FORCE = 500.0
_SLOPE_WHEN_PARKED = 10.0
_MAX_FAN_SPEED = 100
_MAX_CRUISE_SPEED, _CRUISE_SPEED_STEP = 120, 5
_HEALTHY_PRESSURE = (30, 35)
_TIRE_PRESSURES = (
    "frontLeftTirePressure", "frontRightTirePressure", "rearLeftTirePressure", "rearRightTirePressure",
)  # fmt: skip


class VehicleControlAPI(World):
    """Drives and inspects one car; speeds and outside temperatures are drawn at random."""

    _TABLE = "vehicle"
    _NOT_COMPARED = frozenset({"parkingBrakeForce", "slopeAngle", "brakePedalForce"})

    fuelLevel: float
    batteryVoltage: float
    engine_state: str
    remainingUnlockedDoors: int
    doorStatus: dict[str, str]
    acTemperature: float
    fanSpeed: int
    acMode: str
    humidityLevel: float
    headLightStatus: str
    parkingBrakeStatus: str
    parkingBrakeForce: float
    slopeAngle: float
    brakePedalStatus: str
    brakePedalForce: float
    distanceToNextVehicle: float
    cruiseStatus: str
    destination: str
    frontLeftTirePressure: float
    frontRightTirePressure: float
    rearLeftTirePressure: float
    rearRightTirePressure: float
    long_context: bool

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario; the number of unlocked doors is counted, not taken from it."""
        super().load(config, long_context)
        # Scenarios have another name for the compared attribute.
        self.engine_state = vars(self).pop("engineState")
        self.remainingUnlockedDoors = 4 - list(self.doorStatus.values()).count("locked")

    # Engine, fuel and doors.

    def startEngine(self, ignitionMode: str) -> dict[str, Any]:
        """Start the engine, if the doors are locked and the brake is fully pressed.

        Stopping it always returns an error.
        """
        if ignitionMode == "STOP":
            self.engine_state = "stopped"
        if self.remainingUnlockedDoors > 0:
            unlocked = [door for door, status in self.doorStatus.items() if status == "unlocked"]
            return error(
                "All doors must be locked before starting the engine. "
                f"Here are the unlocked doors: {', '.join(unlocked)}"
            )
        if self.brakePedalStatus != "pressed":
            return error("Brake pedal needs to be pressed when starting the engine.")
        if self.brakePedalForce != _FULL_BRAKE_FORCE:
            return error("Must press the brake fully before starting the engine.")
        if self.fuelLevel < 0:
            return error("Fuel tank is empty.")
        if ignitionMode != "START":
            return error("Invalid ignition mode.")
        self.engine_state = "running"
        return {
            "engineState": self.engine_state,
            "fuelLevel": self.fuelLevel,
            "batteryVoltage": self.batteryVoltage,
        }

    def fillFuelTank(self, fuelAmount: float) -> dict[str, Any]:
        """Add gallons to the tank."""
        if fuelAmount < 0:
            return error("Fuel amount cannot be negative.")
        if self.fuelLevel + fuelAmount > _TANK_GALLONS:
            return error("Cannot fill gas above the tank capacity.")
        if self.fuelLevel + fuelAmount < 0:
            return error("Fuel tank is empty. Min fuel level is 0 gallons.")
        self.fuelLevel += fuelAmount
        return {"fuelLevel": self.fuelLevel}

    def lockDoors(self, unlock: bool, door: list[str]) -> dict[str, Any]:  # noqa: FBT001 - the API's signature
        """Lock or unlock some doors, in order; an unknown one raises KeyError."""
        status, change = ("unlocked", 1) if unlock else ("locked", -1)
        for name in door:
            if self.doorStatus[name] != status:
                self.doorStatus[name] = status
                self.remainingUnlockedDoors += change
        return {"lockStatus": status, "remainingUnlockedDoors": self.remainingUnlockedDoors}

    # Climate and lights.

    def adjustClimateControl(
        self, temperature: float, unit: str = "celsius", fanSpeed: int = 50, mode: str = "auto"
    ) -> dict[str, Any]:
        """Set temperature, fan and mode.

        The temperature is stored in Celsius and returned as it was given.
        """
        if not 0 <= fanSpeed <= _MAX_FAN_SPEED:
            return error("Fan speed must be between 0 and 100.")
        self.acTemperature = (temperature - 32) * 5 / 9 if unit == "fahrenheit" else temperature
        self.fanSpeed = fanSpeed
        self.acMode = mode
        return {
            "currentACTemperature": temperature,
            "climateMode": mode,
            "humidityLevel": self.humidityLevel,
        }

    def get_outside_temperature_from_google(self) -> dict[str, Any]:
        """Return a random outside temperature; in long context also the weather of the last days."""
        now = {"outsideTemperature": self._random.uniform(-10.0, 40.0)}
        if not self.long_context:
            return now
        return {
            **{day: dict(weather) for day, weather in load_table("vehicle_long")["weather"].items()},
            **now,
        }

    def get_outside_temperature_from_weather_com(self) -> dict[str, Any]:
        """Return error 404, always."""
        return {"error": 404}

    def setHeadlights(self, mode: str) -> dict[str, Any]:
        """Turn the headlights on, or off with any other mode."""
        if mode not in ("on", "off", "auto"):
            return error("Invalid headlight mode.")
        self.headLightStatus = "on" if mode == "on" else "off"
        return {"headlightStatus": self.headLightStatus}

    def displayCarStatus(self, option: str) -> dict[str, Any]:
        """Return one group of the car's readings; in long context also its data sheet."""
        status: dict[str, Any] = (
            {"metadata": load_table("vehicle_long")["status"]} if self.long_context else {}
        )
        readings = {
            "fuel": {"fuelLevel": self.fuelLevel},
            "battery": {"batteryVoltage": self.batteryVoltage},
            "doors": {"doorStatus": self.doorStatus},
            "climate": {
                "currentACTemperature": self.acTemperature,
                "fanSpeed": self.fanSpeed,
                "climateMode": self.acMode,
                "humidityLevel": self.humidityLevel,
            },
            "headlights": {"headlightStatus": self.headLightStatus},
            "parkingBrake": {
                "parkingBrakeStatus": self.parkingBrakeStatus,
                "parkingBrakeForce": self.parkingBrakeForce,
                "slopeAngle": self.slopeAngle,
            },
            "brakePedal": {
                "brakePedalStatus": self.brakePedalStatus,
                "brakePedalForce": self.brakePedalForce,
            },
            "engine": {"engineState": self.engine_state},
        }
        return {**status, **readings.get(option, error("Invalid option"))}

    # Brakes and cruise control.

    def activateParkingBrake(self, mode: str) -> dict[str, Any]:
        """Engage or release the parking brake; in long context also return its manual."""
        if mode not in ("engage", "release"):
            return error("Invalid mode")
        engaged = mode == "engage"
        self.parkingBrakeStatus = "engaged" if engaged else "released"
        self.parkingBrakeForce = _PARKING_BRAKE_FORCE if engaged else 0.0
        self.slopeAngle = _SLOPE_WHEN_PARKED
        status = {
            "parkingBrakeStatus": self.parkingBrakeStatus,
            "_parkingBrakeForce": self.parkingBrakeForce,
            "_slopeAngle": self.slopeAngle,
        }
        if self.long_context:
            return {"parkingBrakeInstruction": load_table("vehicle_long")["parking_brake"], **status}
        return status

    def pressBrakePedal(self, pedalPosition: float) -> dict[str, Any]:
        """Press the brake pedal, from 0 (not at all) to 1 (fully)."""
        if not 0 <= pedalPosition <= 1:
            return error("Pedal position must be between 0 and 1.")
        if pedalPosition == 0:
            return self.releaseBrakePedal()
        self.brakePedalStatus = "pressed"
        self.brakePedalForce = pedalPosition * _FULL_BRAKE_FORCE
        return self._brake_pedal()

    def releaseBrakePedal(self) -> dict[str, Any]:
        """Release the brake pedal."""
        self.brakePedalStatus = "released"
        self.brakePedalForce = 0.0
        return self._brake_pedal()

    def _brake_pedal(self) -> dict[str, Any]:
        return {"brakePedalStatus": self.brakePedalStatus, "brakePedalForce": float(self.brakePedalForce)}

    def setCruiseControl(self, speed: float, activate: bool, distanceToNextVehicle: float) -> dict[str, Any]:  # noqa: FBT001 - the API's signature
        """Set a speed, a multiple of five, and a distance.

        The distance is set even if the speed is refused.
        """
        speed, distance = float(speed), float(distanceToNextVehicle)
        if self.engine_state == "stopped":
            return error("Start the engine before activating the cruise control.")
        self.distanceToNextVehicle = distance
        if activate and (speed < 0 or speed > _MAX_CRUISE_SPEED or speed % _CRUISE_SPEED_STEP != 0):
            return error("Invalid speed")
        self.cruiseStatus = "active" if activate else "inactive"
        return {
            "cruiseStatus": self.cruiseStatus,
            "currentSpeed": speed,
            "distanceToNextVehicle": self.distanceToNextVehicle,
        }

    def get_current_speed(self) -> dict[str, Any]:
        """Return a random current speed."""
        return {"currentSpeed": self._random.uniform(0.0, 120.0)}

    # Tyres, distances and navigation.

    def check_tire_pressure(self) -> dict[str, Any]:
        """Return the pressures of the four tyres, and whether their mean is healthy."""
        pressures: dict[str, float] = {name: getattr(self, name) for name in _TIRE_PRESSURES}
        lowest, highest = _HEALTHY_PRESSURE
        return {
            **pressures,
            "healthy_tire_pressure": lowest
            <= sum_left_to_right(pressures.values()) / len(pressures)
            <= highest,
            "car_info": load_table("vehicle_long")["status"] if self.long_context else {},
        }

    def find_nearest_tire_shop(self) -> dict[str, Any]:
        """Return the address of the only tyre shop."""
        return {"shopLocation": "456 Oakwood Avenue, Rivermist, 83214"}

    def get_zipcode_based_on_city(self, city: str) -> dict[str, Any]:
        """Return the zip code of a city, or zeros if it is unknown."""
        return {"zipcode": load_table(self._TABLE)["zipcodes"].get(city, "00000")}

    def estimate_distance(self, cityA: str, cityB: str) -> dict[str, Any]:
        """Return the miles between two zip codes; in long context with the cities on the way."""
        miles = _miles().get((cityA, cityB))
        result: dict[str, Any] = {"distance": miles} if miles else error("distance not found in database.")
        if self.long_context:
            result["intermediaryCities"] = list(load_table("vehicle_long")["cities"])
        return result

    def estimate_drive_feasibility_by_mileage(self, distance: float) -> dict[str, Any]:
        """Return whether the fuel lasts for a number of miles."""
        too_far = self.fuelLevel * _MILES_PER_GALLON < distance
        return {"canDrive": not too_far}

    def set_navigation(self, destination: str) -> dict[str, Any]:
        """Set the destination of the navigation."""
        self.destination = destination
        return {"status": "Navigating to " + destination}

    def liter_to_gallon(self, liter: float) -> dict[str, Any]:
        """Convert liters to gallons."""
        return {"gallon": liter * _GALLONS_PER_LITER}

    def gallon_to_liter(self, gallon: float) -> dict[str, Any]:
        """Convert gallons to liters."""
        return {"liter": gallon * _LITERS_PER_GALLON}

    def display_log(self, messages: list[str]) -> dict[str, Any]:
        """Return the messages as given."""
        return {"log": messages}


@cache
def _miles() -> dict[tuple[str, str], float]:
    """Return the miles between two zip codes, in both directions."""
    pairs = load_table("vehicle")["miles"]
    return {
        **{(start, end): miles for start, end, miles in pairs},
        **{(end, start): miles for start, end, miles in pairs},
    }

"""The car."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.environments.vehicle import VehicleControlAPI

LOCKED = dict.fromkeys(("driver", "passenger", "rear_left", "rear_right"), "locked")


def car(*, long_context: bool = False, **config: Any) -> VehicleControlAPI:
    world = VehicleControlAPI()
    world.load({"fuelLevel": 10.0, "doorStatus": LOCKED, **config}, long_context=long_context)
    return world


class TestEngine:
    def test_it_starts_behind_locked_doors_with_the_brake_pressed_fully(self) -> None:
        world = car()
        world.pressBrakePedal(1)
        assert world.startEngine("START") == {
            "engineState": "running",
            "fuelLevel": 10.0,
            "batteryVoltage": 12.6,
        }
        assert world.state()["engine_state"] == "running"

    @pytest.mark.parametrize(
        ("config", "pedal", "text"),
        [
            (
                {"doorStatus": {**LOCKED, "driver": "unlocked"}},
                1,
                "All doors must be locked before starting the engine. Here are the unlocked doors: driver",
            ),
            ({}, 0, "Brake pedal needs to be pressed when starting the engine."),
            ({}, 0.5, "Must press the brake fully before starting the engine."),
            ({"fuelLevel": -1.0}, 1, "Fuel tank is empty."),
        ],
    )
    def test_it_says_why_it_does_not_start(self, config: dict[str, Any], pedal: float, text: str) -> None:
        world = car(**config)
        world.pressBrakePedal(pedal)
        assert world.startEngine("START") == {"error": text}

    def test_stopping_it_works_and_answers_with_an_error(self) -> None:
        world = car(engineState="running")
        world.pressBrakePedal(1)
        assert world.startEngine("STOP") == {"error": "Invalid ignition mode."}
        assert world.state()["engine_state"] == "stopped"

    def test_scenarios_name_the_engine_by_another_key(self) -> None:
        assert car(engine_state="running").state()["engine_state"] == "stopped"
        assert car(engineState="running").state()["engine_state"] == "running"

    @pytest.mark.parametrize(
        ("gallons", "answer"),
        [
            (40, {"fuelLevel": 50.0}),
            (40.5, {"error": "Cannot fill gas above the tank capacity."}),
            (-1, {"error": "Fuel amount cannot be negative."}),
        ],
    )
    def test_the_tank_holds_fifty_gallons(self, gallons: float, answer: dict[str, Any]) -> None:
        assert car().fillFuelTank(gallons) == answer

    def test_a_tank_that_stays_below_zero_is_empty(self) -> None:
        assert car(fuelLevel=-5.0).fillFuelTank(1) == {
            "error": "Fuel tank is empty. Min fuel level is 0 gallons."
        }

    def test_a_gallon_lasts_twenty_miles(self) -> None:
        assert car().estimate_drive_feasibility_by_mileage(200) == {"canDrive": True}
        assert car().estimate_drive_feasibility_by_mileage(200.1) == {"canDrive": False}

    def test_a_text_of_miles_is_refused_in_the_words_of_the_apis_comparison(self) -> None:
        with pytest.raises(TypeError, match="'<' not supported between instances of 'float' and 'str'"):
            car().estimate_drive_feasibility_by_mileage("9")  # pyright: ignore[reportArgumentType] - what a model may give


class TestDoors:
    def test_the_unlocked_doors_are_counted_and_not_believed(self) -> None:
        assert (
            car(doorStatus={"driver": "unlocked"}, remainingUnlockedDoors=1).state()["remainingUnlockedDoors"]
            == 4
        )

    def test_a_door_counts_once(self) -> None:
        world = car()
        assert world.lockDoors(True, ["driver", "driver"]) == {
            "lockStatus": "unlocked",
            "remainingUnlockedDoors": 1,
        }
        assert world.lockDoors(False, ["driver", "passenger"]) == {
            "lockStatus": "locked",
            "remainingUnlockedDoors": 0,
        }

    def test_doors_before_an_unknown_one_stay_changed(self) -> None:
        world = car()
        with pytest.raises(KeyError, match="trunk"):
            world.lockDoors(unlock=True, door=["driver", "trunk", "passenger"])
        assert world.state()["doorStatus"] == {**LOCKED, "driver": "unlocked"}
        assert world.state()["remainingUnlockedDoors"] == 1


class TestClimateAndLights:
    def test_the_temperature_is_kept_in_celsius_and_answered_as_given(self) -> None:
        world = car()
        answer = world.adjustClimateControl(50, "fahrenheit", 20, "cool")
        assert answer == {"currentACTemperature": 50, "climateMode": "cool", "humidityLevel": 50.0}
        state = world.state()
        assert (state["acTemperature"], state["fanSpeed"], state["acMode"]) == (10.0, 20, "cool")

    @pytest.mark.parametrize("speed", [-1, 101])
    def test_the_fan_runs_from_0_to_100(self, speed: int) -> None:
        world = car()
        assert world.adjustClimateControl(20, fanSpeed=speed) == {
            "error": "Fan speed must be between 0 and 100."
        }
        assert world.state() == car().state()

    @pytest.mark.parametrize(("mode", "status"), [("on", "on"), ("off", "off"), ("auto", "off")])
    def test_automatic_headlights_are_off(self, mode: str, status: str) -> None:
        assert car(headLightStatus="on").setHeadlights(mode) == {"headlightStatus": status}

    def test_other_headlight_modes_are_refused(self) -> None:
        assert car().setHeadlights("dim") == {"error": "Invalid headlight mode."}

    def test_the_weather_is_drawn_from_the_seed(self) -> None:
        temperatures = [car(random_seed=1).get_outside_temperature_from_google() for _ in range(2)]
        assert temperatures[0] == temperatures[1]
        assert -10 <= temperatures[0]["outsideTemperature"] <= 40
        assert 0 <= car().get_current_speed()["currentSpeed"] <= 120
        assert car().get_outside_temperature_from_weather_com() == {"error": 404}


class TestBrakesAndCruise:
    def test_the_pedal_is_released_at_zero(self) -> None:
        world = car()
        released = {"brakePedalStatus": "released", "brakePedalForce": 0.0}
        assert world.pressBrakePedal(0.5) == {"brakePedalStatus": "pressed", "brakePedalForce": 500.0}
        assert world.pressBrakePedal(0) == released
        assert world.releaseBrakePedal() == released
        assert world.pressBrakePedal(1.1) == {"error": "Pedal position must be between 0 and 1."}

    def test_the_parking_brake_is_engaged_and_released(self) -> None:
        world = car()
        engaged = {"parkingBrakeStatus": "engaged", "_parkingBrakeForce": 500.0, "_slopeAngle": 10.0}
        assert world.activateParkingBrake("engage") == engaged
        released = {"parkingBrakeStatus": "released", "_parkingBrakeForce": 0.0, "_slopeAngle": 10.0}
        assert world.activateParkingBrake("release") == released
        assert world.activateParkingBrake("pull") == {"error": "Invalid mode"}

    def test_forces_are_not_compared(self) -> None:
        one, other = car(), car()
        one.pressBrakePedal(1)
        other.pressBrakePedal(0.5)
        assert one.state() == other.state()

    def test_cruise_control_needs_a_running_engine(self) -> None:
        assert car().setCruiseControl(50, activate=True, distanceToNextVehicle=10) == {
            "error": "Start the engine before activating the cruise control."
        }

    def test_cruise_control_holds_speed_and_distance_until_it_is_turned_off(self) -> None:
        world = car(engineState="running")
        for activate, status in ((True, "active"), (False, "inactive")):
            assert world.setCruiseControl(50, activate=activate, distanceToNextVehicle=10) == {
                "cruiseStatus": status,
                "currentSpeed": 50.0,
                "distanceToNextVehicle": 10.0,
            }

    @pytest.mark.parametrize("speed", [-5, 125, 52])
    def test_a_refused_speed_still_sets_the_distance(self, speed: float) -> None:
        world = car(engineState="running")
        assert world.setCruiseControl(speed, activate=True, distanceToNextVehicle=7) == {
            "error": "Invalid speed"
        }
        assert world.state()["distanceToNextVehicle"] == 7.0
        assert world.state()["cruiseStatus"] == "inactive"


class TestReadings:
    @pytest.mark.parametrize(
        ("option", "answer"),
        [
            ("fuel", {"fuelLevel": 10.0}),
            ("battery", {"batteryVoltage": 12.6}),
            ("doors", {"doorStatus": LOCKED}),
            (
                "climate",
                {"currentACTemperature": 25.0, "fanSpeed": 50, "climateMode": "auto", "humidityLevel": 50.0},
            ),
            ("headlights", {"headlightStatus": "off"}),
            ("parkingBrake", {"parkingBrakeStatus": "released", "parkingBrakeForce": 0.0, "slopeAngle": 0.0}),
            ("brakePedal", {"brakePedalStatus": "released", "brakePedalForce": 0.0}),
            ("engine", {"engineState": "stopped"}),
            ("radio", {"error": "Invalid option"}),
        ],
    )
    def test_each_option_shows_its_group(self, option: str, answer: dict[str, Any]) -> None:
        assert car().displayCarStatus(option) == answer

    @pytest.mark.parametrize(
        ("pressure", "healthy"), [(29.9, False), (30.0, True), (35.0, True), (35.1, False)]
    )
    def test_the_mean_pressure_is_healthy_from_30_to_35(self, pressure: float, healthy: bool) -> None:
        tyres = (
            "frontLeftTirePressure",
            "frontRightTirePressure",
            "rearLeftTirePressure",
            "rearRightTirePressure",
        )
        config = dict.fromkeys(tyres, pressure)
        assert car(**config).check_tire_pressure() == {
            **config,
            "healthy_tire_pressure": healthy,
            "car_info": {},
        }

    def test_logs_are_shown_as_given(self) -> None:
        assert car().display_log(["a"]) == {"log": ["a"]}


class TestPlaces:
    def test_distances_go_both_ways(self) -> None:
        assert car().estimate_distance("83214", "74532") == {"distance": 750.0}
        assert car().estimate_distance("74532", "83214") == {"distance": 750.0}
        assert car().estimate_distance("74532", "74532") == {"error": "distance not found in database."}

    def test_cities_have_zip_codes(self) -> None:
        assert car().get_zipcode_based_on_city("Rivermist") == {"zipcode": "83214"}
        assert car().get_zipcode_based_on_city("Oslo") == {"zipcode": "00000"}

    def test_navigation_is_kept(self) -> None:
        world = car()
        assert world.set_navigation("1 Main St") == {"status": "Navigating to 1 Main St"}
        assert world.state()["destination"] == "1 Main St"
        assert world.find_nearest_tire_shop() == {"shopLocation": "456 Oakwood Avenue, Rivermist, 83214"}

    def test_gallons_and_liters(self) -> None:
        assert car().liter_to_gallon(2) == {"gallon": 0.528344}
        assert car().gallon_to_liter(2) == {"liter": 7.57082}


class TestLongContext:
    def test_some_answers_carry_their_documentation(self) -> None:
        world = car(long_context=True)
        assert next(iter(world.displayCarStatus("fuel"))) == "metadata"
        assert list(world.displayCarStatus("radio")) == ["metadata", "error"]
        assert next(iter(world.activateParkingBrake("engage"))) == "parkingBrakeInstruction"
        assert list(world.get_outside_temperature_from_google())[-1] == "outsideTemperature"
        assert isinstance(world.check_tire_pressure()["car_info"], str)
        assert list(world.estimate_distance("1", "2")) == ["error", "intermediaryCities"]

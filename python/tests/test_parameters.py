"""What the client is made with, and what it refuses to be made with."""

from __future__ import annotations

import inspect
import pickle
import unittest

import plinth
from plinth import AsyncDataProductClient, DataProductClient, DataProductError, Record

GIVEN = {"fqdn": "data.example.com", "dp_name": "shop", "access_token": "plt_abc", "tenant": "acme"}
GROUPS = ("metadata", "query", "activity", "dq", "perspectives", "notifications", "followers")


class Constructor(unittest.TestCase):
    def test_takes_exactly_the_parameters_of_the_contract(self) -> None:
        for client in (DataProductClient, AsyncDataProductClient):
            parameters = list(inspect.signature(client).parameters.values())
            self.assertEqual(
                [(each.name, each.default) for each in parameters],
                [
                    ("fqdn", inspect.Parameter.empty),
                    ("dp_name", inspect.Parameter.empty),
                    ("access_token", inspect.Parameter.empty),
                    ("tenant", inspect.Parameter.empty),
                    ("timeout", 30.0),
                    ("verify_ssl", True),
                ],
            )

    def test_takes_them_in_that_order_too(self) -> None:
        with DataProductClient("data.example.com", "shop", "plt_abc", "acme", 5.0, False) as client:
            self.assertIn("/tenants/acme/data-products/acme-shop/", client.base_url)

    def test_builds_the_base_address(self) -> None:
        for fqdn, origin in {
            "data.example.com": "https://data.example.com",
            "data.example.com:8443": "https://data.example.com:8443",
            "https://data.example.com/": "https://data.example.com",
            "http://127.0.0.1:8088": "http://127.0.0.1:8088",
            "http://[::1]:8088": "http://[::1]:8088",
        }.items():
            with self.subTest(fqdn), DataProductClient(**{**GIVEN, "fqdn": fqdn}) as client:
                self.assertEqual(
                    client.base_url, f"{origin}/plinth/tenants/acme/data-products/acme-shop/api/v1"
                )

    def test_names_are_one_segment_of_the_path_whatever_they_hold(self) -> None:
        with DataProductClient(**{**GIVEN, "dp_name": "a/../b?c#d"}) as client:
            self.assertTrue(client.base_url.endswith("/acme-a%2F..%2Fb%3Fc%23d/api/v1"))

    def test_each_of_the_four_is_required(self) -> None:
        for name in GIVEN:
            for value in (None, "", "  ", 7, b"x"):
                with self.subTest(name, value=value), self.assertRaises(DataProductError) as caught:
                    DataProductClient(**{**GIVEN, name: value})  # type: ignore[arg-type]
                self.assertEqual(caught.exception.status_code, 400)
                self.assertIn(name, caught.exception.detail)
            with self.subTest(name, value="absent"), self.assertRaises(DataProductError) as caught:
                DataProductClient(**{other: value for other, value in GIVEN.items() if other != name})
            self.assertIn(name, caught.exception.detail)

    def test_refuses_a_host_that_is_another_one_than_it_seems(self) -> None:
        for fqdn in (
            "good.example@evil.example",
            "https://user:secret@host",
            "ftp://host",
            "file:///etc/passwd",
            "host/path",
            "host?x",
            "host#x",
            "host\\evil",
            "host\r\nX: y",
            "host:port",
            "http://[::1",
            "https://",
        ):
            with self.subTest(fqdn), self.assertRaises(DataProductError) as caught:
                DataProductClient(**{**GIVEN, "fqdn": fqdn})
            self.assertEqual(caught.exception.status_code, 400)

    def test_refuses_a_token_that_breaks_a_header_without_showing_it(self) -> None:
        for token in ("plt_abc\r\nX-Evil: 1", "plt abc", "plt_ü", "plt_\x00"):
            with self.subTest(token), self.assertRaises(DataProductError) as caught:
                DataProductClient(**{**GIVEN, "access_token": token})
            self.assertNotIn("plt", str(caught.exception))

    def test_refuses_a_timeout_that_is_none(self) -> None:
        for timeout in (0, -1, float("nan"), float("inf"), "30", None, True):
            with self.subTest(timeout), self.assertRaises(DataProductError):
                DataProductClient(**GIVEN, timeout=timeout)  # type: ignore[arg-type]
        with self.assertRaises(DataProductError):
            DataProductClient(**GIVEN, verify_ssl="no")  # type: ignore[arg-type]

    def test_has_the_seven_groups(self) -> None:
        with DataProductClient(**GIVEN) as client:
            for group in GROUPS:
                self.assertIsNotNone(getattr(client, group))

    def test_never_shows_the_token(self) -> None:
        with DataProductClient(**GIVEN) as client:
            shown = [client, client.query, client._transport, client._transport.settings]
            for each in shown:
                self.assertNotIn("plt_abc", repr(each) + str(each) + repr(vars(each)))


class Operations(unittest.TestCase):
    def setUp(self) -> None:
        self.client = DataProductClient(**GIVEN)
        self.addCleanup(self.client.close)

    def test_refuse_missing_parameters_before_anything_is_sent(self) -> None:
        query, activity = self.client.query, self.client.activity
        for operation in (query.submit_statement, query.get_statement, query.get_statement_result, activity.get_plan):
            for args in ((), (None,), ("",), (" ",), (5,)):
                with self.subTest(operation.__name__, args=args), self.assertRaises(DataProductError) as caught:
                    operation(*args)  # type: ignore[arg-type]
                self.assertEqual(caught.exception.status_code, 400)
                self.assertEqual(caught.exception.code, "client.bad-parameter")

    def test_refuse_ids_that_lead_elsewhere(self) -> None:
        for bad in (".", ".."):
            with self.subTest(bad), self.assertRaises(DataProductError):
                self.client.query.get_statement(bad)

    def test_refuse_parameters_they_do_not_have(self) -> None:
        with self.assertRaises(DataProductError) as caught:
            self.client.query.submit_statement("SELECT 1", colour="red")  # type: ignore[call-arg]
        self.assertIn("colour", caught.exception.detail)

    def test_of_groups_that_come_later_say_so(self) -> None:
        for group in ("dq", "perspectives", "notifications", "followers"):
            with self.subTest(group), self.assertRaises(DataProductError) as caught:
                getattr(self.client, group).anything("x", y=1)
            self.assertEqual(caught.exception.status_code, 501)
            self.assertIn(f"{group}.anything", caught.exception.detail)
            self.assertFalse(hasattr(getattr(self.client, group), "_repr_html_"))


class Records(unittest.TestCase):
    def test_answer_by_attribute_and_by_name(self) -> None:
        record = Record({"id": "s_1", "stats": {"rows": 3}, "list": [{"a": 1}], "items": 5})
        self.assertEqual(record.id, record["id"])
        self.assertEqual(record.stats.rows, 3)
        self.assertEqual(record["list"][0].a, 1)
        self.assertEqual(record.items, 5)
        self.assertIn("id", record)
        self.assertEqual(dict(record)["id"], "s_1")
        self.assertEqual(record.get("nothing", 7), 7)
        self.assertEqual(record, {"id": "s_1", "stats": {"rows": 3}, "list": [{"a": 1}], "items": 5})
        self.assertEqual(pickle.loads(pickle.dumps(record)), record)

    def test_say_which_fields_there_are(self) -> None:
        record = Record({"id": "s_1"})
        with self.assertRaisesRegex(AttributeError, "it has id"):
            record.status
        with self.assertRaises(KeyError):
            record["status"]
        with self.assertRaises(AttributeError):
            record.id = "other"


class Package(unittest.TestCase):
    def test_exports_the_names_of_the_contract(self) -> None:
        self.assertIn("DataProductClient", plinth.__all__)
        self.assertIn("DataProductError", plinth.__all__)

    def test_an_error_carries_status_code_and_detail(self) -> None:
        error = DataProductError(403, "no")
        self.assertEqual((error.status_code, error.detail), (403, "no"))
        self.assertIsInstance(error, Exception)
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))

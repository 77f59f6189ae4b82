"""Reads {"odcs": …, "openlineage": […]} and says what the publishers' own packages find wrong, a line each."""

import importlib
import json
import pkgutil
import sys
import types
import typing
from pathlib import Path

import attr
import jsonschema
import open_data_contract_standard
import openlineage.client.generated as generated
from openlineage.client.generated import base


def odcs_problems(document):
    schema = json.loads((Path(open_data_contract_standard.__file__).parent / "schema.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    for error in validator.iter_errors(document):
        yield f"odcs {list(error.absolute_path)}: {error.message[:300]}"


MODULES = [importlib.import_module(f"{generated.__name__}.{each.name}") for each in pkgutil.iter_modules(generated.__path__)]
CLASSES = {name: each for module in MODULES for name, each in vars(module).items() if isinstance(each, type)}


def read(kind, value, path):
    """Makes the class of the client from JSON; raises for keys and types that it does not have."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        kinds = [each for each in inner if each is not type(None)]
        return read(kinds[0], value, path)
    if origin is list:
        assert isinstance(value, list), f"{path} is not a list"
        return [read(inner[0], each, f"{path}[{at}]") for at, each in enumerate(value)]
    if origin is dict:
        assert isinstance(value, dict), f"{path} is not an object"
        return {name: read(inner[1], each, f"{path}.{name}") for name, each in value.items()}
    if isinstance(kind, type) and issubclass(kind, (base.DatasetFacet, base.JobFacet, base.BaseFacet)):
        return facet(value, path)
    if attr.has(kind):
        return made(kind, value, path)
    if isinstance(kind, type) and kind is not object:
        assert isinstance(value, kind), f"{path} is {type(value).__name__}, not {kind.__name__}"
    return value


def facet(value, path):
    fields = dict(value)
    url = fields.pop("_schemaURL")
    fields.pop("_producer")
    kind = CLASSES[url.rsplit("/", 1)[1]]
    assert kind._get_schema() == url, f"{path} is of {url}, published is {kind._get_schema()}"
    return made(kind, fields, path)


def made(kind, value, path):
    hints = typing.get_type_hints(kind)
    known = {each.name.lstrip("_"): each for each in attr.fields(kind) if each.init}
    unknown = set(value) - set(known)
    assert not unknown, f"{path} has {sorted(unknown)}, which {kind.__name__} does not"
    return kind(**{name: read(hints[known[name].name], each, f"{path}.{name}") for name, each in value.items()})


def openlineage_problems(events):
    for at, event in enumerate(events):
        fields = dict(event)
        url = fields.pop("schemaURL")
        kind = CLASSES[url.rsplit("/", 1)[1]]
        try:
            assert kind._get_schema() == url, f"{url} is not {kind._get_schema()}"
            made(kind, fields, f"event {at}")
        except Exception as error:
            yield f"openlineage {error!r}"


asked = json.load(sys.stdin)
problems = [*odcs_problems(asked["odcs"]), *openlineage_problems(asked["openlineage"])]
print(json.dumps(problems))

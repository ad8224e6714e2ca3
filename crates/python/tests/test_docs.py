"""Examples in the documentation of functions are run."""

import doctest
import importlib
import pkgutil
import unittest

import clustersim


def load_tests(loader, tests, pattern):
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    names = [f"clustersim.{module.name}" for module in pkgutil.iter_modules(clustersim.__path__)]
    for name in ["clustersim", *names]:
        module = importlib.import_module(name)
        if module.__file__.endswith(".py"):
            tests.addTests(doctest.DocTestSuite(module, optionflags=flags))
    return tests


if __name__ == "__main__":
    unittest.main()

# Configuration of lit for the tests of the compiler and of sessions of the debugger. A test is one file with the input, the command (RUN) and the
# expected output (CHECK).
import os

import lit.formats

if not {"tools", "llvm", "exec_root"} <= lit_config.params.keys():
    lit_config.fatal("these tests need the folders of the build: run them with scripts/lit [PATH...]")

config.name = "compiler"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".session"]  # a session is a script of tilerig debug
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]
config.environment["PATH"] = os.pathsep.join([lit_config.params["tools"], lit_config.params["llvm"], os.environ["PATH"]])

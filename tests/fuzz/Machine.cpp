// Fuzzer of machine descriptions: each is refused, or it is accepted and then printed, hashed and read back
// without a change.

#include "isa/Machine/Machine.h"
#include "tests/fuzz/Fuzz.h"

using namespace tilerig;

extern "C" void tilerigSeeds(SeedSink &sink) {
  for (const std::string &name : builtInMachines())
    sink.add(printMachine(*loadMachine(name)));
  sink.add(R"({"base": "tiny", "name": "mine", "tile": {"ocm_bytes": 131072}})");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto machine = parseMachine({reinterpret_cast<const char *>(data), size}, "input");
  if (!machine) {
    require(machine.error().kind == ErrorKind::invalidInput);
    require(machine.error().message().size() < 500);
    return 0;
  }
  require(static_cast<bool>(verifyMachine(*machine, "input")));
  auto again = parseMachine(printMachine(*machine), "again");
  require(again && *again == *machine && hashMachine(*again) == hashMachine(*machine));
  return 0;
}

// Fuzzer of calibration tables and precision plans: each is refused with a short reason or accepted, and an
// accepted table is printed and read back without a change.

#include "compiler/Planning/Quantisation/CalibrationTable.h"
#include "compiler/Planning/Quantisation/PrecisionPlan.h"
#include "tests/fuzz/Fuzz.h"

using namespace tilerig;
using namespace tilerig::compiler;

extern "C" void tilerigSeeds(SeedSink &sink) {
  CalibrationTable table;
  table.samples = "2 samples";
  table.tensors["conv1"] = {QuantisedType::int8, {RangeMethod::Kind::entropy}, {-1.5f, 2.25f}};
  table.tensors["relu1"] = {QuantisedType::uint8, {RangeMethod::Kind::percentile}, {0, 6}};
  sink.add(table.print());
  sink.add(
      R"({"default": "int8", "activations": "uint8", "weights": "per-tensor", "method": "percentile:99.9",
               "nine_bits": false, "layers": {"/head/Gemm": "fp16", "logits": "fp32"}})");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  if (auto plan = PrecisionPlan::parse(text); !plan) {
    require(plan.error().kind == ErrorKind::invalidInput);
  }
  auto table = CalibrationTable::parse(text);
  if (!table) {
    require(table.error().kind == ErrorKind::invalidInput);
    return 0;
  }
  auto again = CalibrationTable::parse(table->print());
  require(again && *again == *table);
  return 0;
}

// Fuzzer of Polygraphy's JSON files in memory.
#include "isa/Base/Tensor/PolygraphyJson.h"

#include "isa/Base/Support/Base64.h"
#include "isa/Base/Tensor/NpyHeader.h"
#include "tests/fuzz/Fuzz.h"

#include <string>

using namespace tilerig;

static std::string arrayOf(const Shape &shape, size_t elements) {
  std::string file = formatNpyHeader(DType::f32, shape);
  file += std::string(4 * elements, '\x3f');
  return R"({"array":")" + toBase64(std::as_bytes(std::span(file))) + R"(","polygraphy_class":"ndarray"})";
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  for (const char *text : {R"({"lst": []})", R"({"lst": [["r"]]})", R"({"lst": [["r", []]]})",
                           R"({"lst": [["r", [{}]]]})", "[]", "[{}]"})
    sink.add(text);
  sink.add(R"([{"x":)" + arrayOf({2, 3}, 6) + R"(,"y":)" + arrayOf({}, 1) + "}]");
  sink.add(
      R"({"lst":[["trt-runner",[{"outputs":{"x":{"values":)" + arrayOf({3}, 3) +
      R"(,"polygraphy_class":"LazyArray"}},"runtime":0.1,"runner_name":"trt-runner","polygraphy_class":"IterationResult"}]]],)"
      R"("polygraphy_class":"RunResults"})");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const auto tensors = parsePolygraphyJson(text, "fuzz");
  if (!tensors)
    return 0;
  for (const NamedTensor &entry : *tensors)
    require(entry.tensor.bytes().size() <= size);
  // What is read from base64 is the text again.
  if (const auto bytes = fromBase64(text); bytes && !text.ends_with('='))
    require(toBase64(*bytes) == text);
  return 0;
}

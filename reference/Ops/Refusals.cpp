// The ONNX operators that are deliberately unsupported, with reasons.
#include "reference/Run/Operator.h"

#include <algorithm>

namespace tilerig::reference {

namespace {

constexpr std::string_view random =
    "is not supported: its result is random, so there is nothing to compare with";
constexpr std::string_view strings = "is not supported: it works on strings, not on numbers";
constexpr std::string_view optionals = "is not supported: it works on optional values";

struct Refusal {
  std::string_view op, reason;
};
constexpr Refusal refusals[] = {
    {"Bernoulli", random},
    {"Multinomial", random},
    {"RandomNormal", random},
    {"RandomNormalLike", random},
    {"RandomUniform", random},
    {"RandomUniformLike", random},
    {"RegexFullMatch", strings},
    {"StringConcat", strings},
    {"StringNormalizer", strings},
    {"StringSplit", strings},
    {"SequenceMap", "is not supported: use a Loop with SequenceAt and SequenceInsert"},
    {"Optional", optionals},
    {"OptionalGetElement", optionals},
    {"OptionalHasElement", optionals},
    {"ImageDecoder", "is not supported: decode images before running the model"},
};

} // namespace

std::string_view whyLeftOut(std::string_view domain, std::string_view op) {
  if (domain == "ai.onnx.preview.training" || domain == "ai.onnx.training")
    return "is not supported: it is for training, and only inference is supported";
  if (domain == "ai.onnx.ml")
    return "is not supported: it is for classical machine learning, and only neural networks are supported";
  auto entry = std::find_if(std::begin(refusals), std::end(refusals),
                            [&](const Refusal &refusal) { return refusal.op == op; });
  return domain.empty() && entry != std::end(refusals) ? entry->reason : std::string_view();
}

} // namespace tilerig::reference

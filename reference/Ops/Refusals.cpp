// The ONNX operators that are deliberately unsupported, with reasons.
#include "reference/Run/Operator.h"

#include <algorithm>

namespace tilerig::reference {

namespace {

constexpr std::string_view random = "is random, so that there is no result to compare with";
constexpr std::string_view strings = "works on strings, which no accelerator computes with";
constexpr std::string_view sequences = "works on sequences of tensors, and values are tensors here";
constexpr std::string_view optionals = "works on optional values, and values are tensors here";

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
    {"ConcatFromSequence", sequences},
    {"SequenceAt", sequences},
    {"SequenceConstruct", sequences},
    {"SequenceEmpty", sequences},
    {"SequenceErase", sequences},
    {"SequenceInsert", sequences},
    {"SequenceLength", sequences},
    {"SequenceMap", sequences},
    {"SplitToSequence", sequences},
    {"Optional", optionals},
    {"OptionalGetElement", optionals},
    {"OptionalHasElement", optionals},
    {"ImageDecoder", "decodes image files, which is done before a model runs"},
};

} // namespace

std::string_view whyLeftOut(std::string_view domain, std::string_view op) {
  if (domain == "ai.onnx.preview.training" || domain == "ai.onnx.training")
    return "belongs to training, and models are run for inference";
  if (domain == "ai.onnx.ml")
    return "belongs to classical machine learning, and models are neural networks";
  auto found = std::find_if(std::begin(refusals), std::end(refusals),
                            [&](const Refusal &refusal) { return refusal.op == op; });
  return domain.empty() && found != std::end(refusals) ? found->reason : std::string_view();
}

} // namespace tilerig::reference

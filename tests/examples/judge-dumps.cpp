// Example: compares the tensors of two dumps, made by any tools, and asks for the cause of each difference.
//
// usage: judge-dumps EXPECTED.npz COMPUTED.npz        exit code: 0 all match, 1 there are differences
#include "isa/Base/Tensor/TensorFiles.h"
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/JudgePair.h"
#include "verify/Verdict/Shipped.h"

#include <cstdio>

using namespace tilerig;

namespace {

Result<int> judge(const std::string &expectedFile, const std::string &computedFile) {
  TILERIG_TRY(const TensorMap expected, readTensors(expectedFile));
  TILERIG_TRY(const TensorMap computed, readTensors(computedFile));
  reference::Threads threads(1);
  TILERIG_TRY(const verify::Classifier classifier, verify::shippedClassifier(threads));
  int wrong = 0;
  for (const auto &[name, tensor] : expected) {
    TILERIG_TRY(const Tensor *other, computed.get(name));
    const verify::Comparison comparison = verify::compareTensors(tensor, *other);
    if (comparison.status == verify::TensorStatus::match)
      continue;
    ++wrong;
    TILERIG_TRY(const verify::ExplainedVerdict judged,
                verify::judgePair(classifier, tensor, *other, comparison));
    const std::string answer(judged.verdict.answer == verify::Answer::cannotSay
                                 ? "cannot say (" + judged.verdict.reason + ")"
                                 : std::string(nameOf(judged.verdict.bugClass)));
    std::printf("%s: %zu of %zu elements differ: %s\n", name.c_str(),
                static_cast<size_t>(comparison.different), static_cast<size_t>(comparison.elements),
                answer.c_str());
  }
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: judge-dumps EXPECTED.npz COMPUTED.npz\n");
    return 2;
  }
  const auto wrong = judge(argv[1], argv[2]);
  if (!wrong) {
    std::fprintf(stderr, "%s\n", wrong.error().message().c_str());
    return 3;
  }
  return *wrong > 0;
}

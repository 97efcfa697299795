#include "tests/conformance/random-graphs/Judge.h"

#include "tests/conformance/random-graphs/Watchdog.h"

#include <cmath>
#include <set>

namespace tilerig::meaning {

namespace {

// The tolerance for differences between model and transformed model, relative to a tensor's largest
// magnitude. Both models compute in double, and constant folding rounds differently a few times: 1e-9 is
// enough. The exception is HardSigmoid, whose attribute alpha holds 1/6 as a float, while HardSwish uses the
// exact 1/6. The two values differ by a third of a float's step, so a pass that replaces one operator by the
// other changes the outputs. With HardSigmoid the tolerance grows by the change of the outputs when alpha
// moves by one step.
double limitOf(const Trial &trial, const Values &expected) {
  constexpr double exact = 1e-9;
  Trial moved = trial;
  bool hasSixth = false;
  for (onnx::NodeProto &node : *moved.model.mutable_graph()->mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (node.op_type() == "HardSigmoid" && attribute.name() == "alpha" && attribute.f() == 1.0f / 6) {
        attribute.set_f(std::nextafter(attribute.f(), 1.0f));
        hasSixth = true;
      }
  if (!hasSixth)
    return exact;
  const auto got = run(moved);
  const double share = got ? largestShare(expected, *got) : 0;
  return std::isfinite(share) ? exact + share : exact;
}

} // namespace

std::optional<Finding> judge(const Subject &subject, const Trial &trial, const std::vector<Variant> &variants,
                             const Scratch &scratch, Counts &counts) {
  ++counts.models;
  const auto expected = run(trial);
  if (!expected)
    return Finding{Fault::reference, {"no pass", ""}, expected.error().message()};
  Compiled compiled(scratch);
  if (const Status imported = compiled.import(trial.model); !imported)
    return Finding{Fault::import, {"no pass", ""}, imported.error().message()};
  const double limit = limitOf(trial, *expected);
  std::set<std::string> seen;
  for (const Variant &variant : variants) {
    ++counts.variants;
    const Watchdog watchdog(subject.name + ": " + variant.name + " (" + variant.pipeline + ")",
                            subject.secondsPerVariant);
    const auto compiledModel = compiled.after(variant.pipeline);
    if (!compiledModel && compiledModel.error().kind == ErrorKind::unsupported) {
      ++counts.withoutLayers;
      continue;
    }
    if (!compiledModel)
      return Finding{Fault::pass, variant, compiledModel.error().message()};
    if (!seen.insert(*compiledModel).second)
      continue;
    ++counts.distinct;
    const auto got = run(*compiledModel, trial.inputs);
    if (!got)
      return Finding{Fault::interpretation, variant, got.error().message()};
    if (std::string description = difference(*expected, *got, limit); !description.empty())
      return Finding{Fault::difference, variant, description};
  }
  return {};
}

} // namespace tilerig::meaning

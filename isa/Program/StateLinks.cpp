#include "isa/Program/StateLinks.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig {

namespace {

// The tensor of this role and name. The error lists the names that the program has.
Result<const proto::Tensor *> find(const Program &program, proto::TensorRole role, const std::string &name,
                                   const std::string &place) {
  std::vector<std::string> names;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == role) {
      if (tensor.name() == name)
        return &tensor;
      names.push_back(tensor.name());
    }
  return usageError(
      place, fmt::format("the program has no {} '{}'", role == proto::OUTPUT ? "output" : "input", name),
      "it has " + showNames(names));
}

Result<StateLink> readLink(const std::string &text, const Program &program) {
  const std::string place = "--state " + text;
  const size_t equals = text.find('=');
  if (equals == std::string::npos)
    return usageError(place, "is not of the form OUTPUT=INPUT", "give for example present=past");
  StateLink link{text.substr(0, equals), text.substr(equals + 1)};
  TILERIG_TRY(const proto::Tensor *const output, find(program, proto::OUTPUT, link.output, place));
  TILERIG_TRY(const proto::Tensor *const input, find(program, proto::INPUT, link.input, place));
  if (output->dtype() != input->dtype() || !std::ranges::equal(output->shape(), input->shape()))
    return usageError(
        place,
        fmt::format("the output has type {} and shape [{}], but the input has type {} and shape [{}]",
                    output->dtype(), fmt::join(output->shape(), ", "), input->dtype(),
                    fmt::join(input->shape(), ", ")),
        "a program has fixed shapes, so a state must keep its shape, such as a cache of the largest "
        "length with a position");
  return link;
}

} // namespace

Result<std::vector<StateLink>> readStateLinks(const std::vector<std::string> &texts, const Program &program) {
  std::vector<StateLink> links;
  for (const std::string &text : texts) {
    TILERIG_TRY(StateLink link, readLink(text, program));
    if (std::ranges::count(links, link.input, &StateLink::input) > 0)
      return usageError("--state " + text, fmt::format("the input '{}' has two links", link.input),
                        "give each input at most one output");
    links.push_back(std::move(link));
  }
  return links;
}

void carryState(const std::vector<StateLink> &links, const TensorMap &outputs, TensorMap &inputs) {
  for (const StateLink &link : links)
    *inputs.find(link.input) = *outputs.find(link.output);
}

} // namespace tilerig

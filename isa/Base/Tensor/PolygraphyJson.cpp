#include "isa/Base/Tensor/PolygraphyJson.h"

#include "isa/Base/Support/Base64.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Base/Tensor/Npy.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

// The only element of a list of things that are called `what`.
Result<JsonPlace> onlyOf(const JsonPlace &list, std::string_view what) {
  TILERIG_CHECK_OK(list.expectList());
  if (list.value->size() != 1)
    return list.refuse(fmt::format("the file has {} {}, but one is needed", list.value->size(), what),
                       "save the tensors of one inference with one runner");
  return list.at(0);
}

// The object whose keys are names of tensors.
Result<JsonPlace> tensorsOf(const JsonPlace &root) {
  if (root.value->is_array())
    return onlyOf(root, "sets of inputs"); // of --save-inputs
  TILERIG_TRY(const JsonPlace runner, onlyOf(root.at("lst"), "runners"));
  TILERIG_CHECK_OK(runner.expectList());
  if (runner.value->size() != 2)
    return runner.refuse("expected two values: the name of a runner, and its iterations");
  TILERIG_TRY(const JsonPlace iteration, onlyOf(runner.at(1), "iterations"));
  return iteration.at("outputs");
}

// The .npy file that an array is stored as.
Result<Tensor> arrayOf(JsonPlace entry) {
  if (const JsonPlace lazy = entry.at("values"))
    entry = lazy;
  TILERIG_TRY(const std::string text, entry.at("array").text());
  const std::optional<std::vector<std::byte>> bytes = fromBase64(text);
  if (!bytes)
    return entry.at("array").refuse("this is not base64",
                                    "save the file with a Polygraphy of version 0.28 or later");
  return parseNpy(*bytes, nullptr, entry.file + ": " + entry.path);
}

} // namespace

Result<TensorMap> parsePolygraphyJson(std::string_view text, const std::string &place,
                                      const TensorFilter &filter) {
  TILERIG_TRY(const Json json, parseStrictJson(text, place, limitsOfOwnFiles));
  const JsonPlace root{&json, place};
  if (!json.is_array() && !root.at("lst"))
    return invalidInput(place,
                        "this is no file of tensors: it has neither Polygraphy's results nor its inputs",
                        "give what `polygraphy run --save-outputs` or `--save-inputs` writes");
  TILERIG_TRY(const JsonPlace named, tensorsOf(root));
  TILERIG_CHECK_OK(named.expectObject());
  TensorMap tensors;
  for (const auto &[name, value] : named.value->items()) {
    if (name == "polygraphy_class")
      continue;
    TILERIG_TRY(Tensor tensor, arrayOf(named.member(name, value)));
    TILERIG_TRY(const bool isWanted,
                filter ? filter({name, tensor.dtype(), tensor.shape()}) : Result<bool>(true));
    if (!isWanted)
      continue;
    if (auto added = tensors.add(name, std::move(tensor)); !added)
      return std::move(added).error().within(place);
  }
  return tensors;
}

} // namespace tilerig

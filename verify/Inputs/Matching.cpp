#include "verify/Inputs/Matching.h"

#include "isa/Base/Support/Nearest.h"
#include "verify/Inputs/Transpose.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

std::string nearest(const std::string &name, const TensorSource &source) {
  const std::vector<std::string_view> names(source.names().begin(), source.names().end());
  return suggestion(name, names);
}

std::vector<std::vector<int64_t>> seamsOf(const proto::Tensor &tensor) {
  std::vector<std::set<int64_t>> begins(static_cast<size_t>(tensor.shape_size()));
  for (const proto::Piece &piece : tensor.pieces())
    for (int axis = 0; axis < piece.begin_size(); ++axis)
      if (piece.begin(axis) > 0)
        begins[static_cast<size_t>(axis)].insert(piece.begin(axis));
  std::vector<std::vector<int64_t>> seams;
  for (const std::set<int64_t> &axis : begins)
    seams.emplace_back(axis.begin(), axis.end());
  return seams;
}

// Pairs the names of the reference's tensors with those of the target's. Names that were paired are removed
// from the lists of names that are still without a partner.
class Matcher {
public:
  Matcher(const TensorSource &reference, const TensorSource &target)
      : reference(reference), target(target),
        freeReference(reference.names().begin(), reference.names().end()),
        freeTarget(target.names().begin(), target.names().end()) {}

  Status applyMap(const TensorNameMap &map) {
    for (const MappedPair &pair : map.pairs) {
      TILERIG_CHECK_OK(take(freeReference, reference, pair.reference, map.place));
      TILERIG_CHECK_OK(take(freeTarget, target, pair.target, map.place));
      TensorMatch match;
      match.name = match.reference = pair.reference;
      match.target = pair.target;
      match.transpose = pair.transpose;
      matching.matches.push_back(std::move(match));
    }
    for (const std::string &name : map.leftOut) {
      if (freeReference.erase(name) + freeTarget.erase(name) == 0)
        return invalidInput(map.place + ": left_out",
                            fmt::format("neither the reference nor the target has a tensor '{}'", name));
      matching.leftOut.push_back({name, "the file given with --map leaves this tensor out"});
    }
    return success();
  }

  // Pairs every tensor that the program lists with a tensor of the reference. Other tensors of the reference
  // are left out of the comparison.
  void applyProgram(const Program &program) {
    for (const proto::Tensor &tensor : program.metadata.tensors()) {
      auto mapped = std::ranges::find(matching.matches, tensor.name(), &TensorMatch::reference);
      if (mapped == matching.matches.end() && isLeftOut(tensor.name()))
        continue;
      TensorMatch &match = mapped == matching.matches.end() ? addByName(tensor.name()) : *mapped;
      describeMatch(program, tensor, match);
    }
    for (const std::string &name : reference.names())
      if (freeReference.erase(name))
        matching.leftOut.push_back({name, "the program does not keep this tensor"});
  }

  Matching finished() {
    for (const TensorSource *source : {&reference, &target})
      for (const std::string &name : source->names())
        if (freeReference.contains(name) || freeTarget.contains(name))
          addByName(name);
    return std::move(matching);
  }

private:
  static Status take(std::set<std::string> &names, const TensorSource &source, const std::string &name,
                     const std::string &place) {
    if (names.erase(name))
      return success();
    return invalidInput(place, fmt::format("{} has no tensor '{}'", source.path(), name),
                        nearest(name, source));
  }

  bool isLeftOut(const std::string &name) const {
    return std::ranges::find(matching.leftOut, name, &LeftOut::name) != matching.leftOut.end();
  }

  TensorMatch &addByName(const std::string &name) {
    TensorMatch match;
    match.name = name;
    match.reference = freeReference.erase(name) ? name : "";
    match.target = freeTarget.erase(name) ? name : "";
    return matching.matches.emplace_back(std::move(match));
  }

  const TensorSource &reference, &target;
  std::set<std::string> freeReference, freeTarget;
  Matching matching;
};

Result<TensorStream> asMatched(TensorStream stream, bool bfloat16) {
  if (bfloat16 && stream.dtype() == DType::u16)
    return stream.reinterpreted(DType::bf16);
  return stream;
}

Result<TensorStream> transposed(const TensorSource &source, const TensorMatch &match) {
  TILERIG_TRY(const Tensor tensor, source.load(match.target));
  auto turned = transpose(tensor, match.transpose);
  if (!turned)
    return std::move(turned).error().within(fmt::format("{}: '{}'", source.path(), match.target));
  return TensorStream(*std::move(turned));
}

} // namespace

void describeMatch(const Program &program, const proto::Tensor &tensor, TensorMatch &match) {
  const proto::Layer &layer = program.metadata.layers(static_cast<int>(tensor.layer()));
  match.layer = layer.name();
  match.kind = layer.kind();
  match.where = layer.where();
  match.onnxOps.assign(layer.onnx_ops().begin(), layer.onnx_ops().end());
  match.eightBit = tensor.stored_type() == "i8"   ? EightBit::int8
                   : tensor.stored_type() == "u8" ? EightBit::uint8
                                                  : EightBit::none;
  match.seams = seamsOf(tensor);
  match.bfloat16 = tensor.dtype() == nameOf(DType::bf16);
}

Result<Matching> matchTensors(const TensorSource &reference, const TensorSource &target,
                              const Program *program, const TensorNameMap *map) {
  Matcher matcher(reference, target);
  if (map)
    TILERIG_CHECK_OK(matcher.applyMap(*map));
  if (program)
    matcher.applyProgram(*program);
  Matching matching = matcher.finished();
  if (matching.matches.empty())
    return invalidInput(target.path(), "no tensor is left to compare");
  return matching;
}

Result<StreamPair> openPair(const TensorSource &reference, const TensorSource &target,
                            const TensorMatch &match) {
  TILERIG_TRY(TensorStream fromReference, reference.stream(match.reference));
  TILERIG_TRY(fromReference, asMatched(std::move(fromReference), match.bfloat16));
  TILERIG_TRY(TensorStream fromTarget,
              match.transpose.empty() ? target.stream(match.target) : transposed(target, match));
  TILERIG_TRY(fromTarget, asMatched(std::move(fromTarget), match.bfloat16));
  return StreamPair{std::move(fromReference), std::move(fromTarget)};
}

} // namespace tilerig::verify

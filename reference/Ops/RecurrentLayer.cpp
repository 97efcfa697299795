#include "reference/Ops/RecurrentLayer.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

Status readDirection(const OpContext &context, RecurrentLayer &layer) {
  TILERIG_TRY(std::string direction, context.textAttribute("direction", "forward"));
  layer.reversed = direction == "reverse";
  layer.directions = direction == "bidirectional" ? 2 : 1;
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return context.invalid(
        fmt::format("attribute direction is '{}', expected forward, reverse or bidirectional", direction));
  return success();
}

Status readClip(const OpContext &context, RecurrentLayer &layer) {
  if (!context.hasAttribute("clip"))
    return success();
  TILERIG_TRY(float clip, context.floatAttribute("clip"));
  if (!(clip >= 0))
    return context.invalid(fmt::format("attribute clip is {}, expected at least 0", clip));
  layer.clip = clip;
  return success();
}

// Reads the sizes of the layer from the shapes of X and R; checks that those of W, B and the states agree.
Status readSizes(const OpContext &context, RecurrentLayer &layer) {
  TILERIG_TRY(int64_t layout, context.intAttribute("layout", 0));
  if (layout != 0 && layout != 1)
    return context.invalid(fmt::format("attribute layout is {}, expected 0 or 1", layout));
  layer.batchFirst = layout == 1;
  const Tensor &x = context.input(0), &w = context.input(1), &r = context.input(2);
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64)
    return context.invalid(fmt::format("the input has type {}, expected a float type", nameOf(x.dtype())));
  if (x.rank() != 3 || r.rank() != 3)
    return context.invalid(fmt::format("input {} and recurrence weights {} must both have rank 3",
                                       showShape(x.shape()), showShape(r.shape())));
  layer.steps = x.shape()[layer.batchFirst ? 1 : 0];
  layer.batch = x.shape()[layer.batchFirst ? 0 : 1];
  layer.inputs = x.shape()[2];
  layer.hidden = r.shape()[2];
  TILERIG_TRY(int64_t stated, context.intAttribute("hidden_size", layer.hidden));
  // The sizes are limited so that products of a few of them cannot overflow.
  if (stated != layer.hidden || layer.hidden < 1 || layer.hidden > (int64_t{1} << 31))
    return context.invalid(
        fmt::format("hidden_size {} does not match recurrence weights {}", stated, showShape(r.shape())));
  int64_t rows = layer.gates * layer.hidden;
  Shape wantedW{layer.directions, rows, layer.inputs}, wantedR{layer.directions, rows, layer.hidden};
  if (w.shape() != wantedW || r.shape() != wantedR || w.dtype() != x.dtype() || r.dtype() != x.dtype())
    return context.invalid(
        fmt::format("the weights have type and shape {} {} (W) and {} {} (R), expected {} {} (W) and {} (R)",
                    nameOf(w.dtype()), showShape(w.shape()), nameOf(r.dtype()), showShape(r.shape()),
                    nameOf(x.dtype()), showShape(wantedW), showShape(wantedR)));
  return success();
}

Status readLengths(const OpContext &context, RecurrentLayer &layer) {
  // Allocates a tensor as large as the list of lengths first, so that exceeding the memory limit is an error.
  TILERIG_CHECK_OK(Tensor::makeUninitialised(DType::i64, {layer.batch}));
  layer.lengths.assign(static_cast<size_t>(layer.batch), layer.steps);
  if (!context.has(inputLengths))
    return success();
  TILERIG_TRY(layer.lengths, context.integers(inputLengths));
  if (static_cast<int64_t>(layer.lengths.size()) != layer.batch)
    return context.invalid(fmt::format("sequence_lens has {} lengths for a batch of {} sequences",
                                       layer.lengths.size(), layer.batch));
  for (int64_t length : layer.lengths)
    if (length < 0 || length > layer.steps)
      return context.invalid(
          fmt::format("sequence length {} is out of range for {} steps", length, layer.steps));
  return success();
}

} // namespace

Status checkOptional(const OpContext &context, size_t index, std::string_view name, const Shape &wanted) {
  if (!context.has(index))
    return success();
  const Tensor &tensor = context.input(index);
  if (tensor.dtype() == context.input(0).dtype() && tensor.shape() == wanted)
    return success();
  return context.invalid(fmt::format("input {} is {} {}, expected {} {}", name, nameOf(tensor.dtype()),
                                     showShape(tensor.shape()), nameOf(context.input(0).dtype()),
                                     showShape(wanted)));
}

Result<RecurrentLayer> recurrentLayer(const OpContext &context, int64_t gates) {
  RecurrentLayer layer;
  layer.gates = gates;
  TILERIG_CHECK_OK(readDirection(context, layer));
  TILERIG_CHECK_OK(readClip(context, layer));
  TILERIG_CHECK_OK(readSizes(context, layer));
  TILERIG_CHECK_OK(checkOptional(context, inputBias, "bias", {layer.directions, 2 * gates * layer.hidden}));
  TILERIG_CHECK_OK(checkOptional(context, inputHidden, "initial_h", layer.stateShape()));
  TILERIG_CHECK_OK(readLengths(context, layer));
  return layer;
}

} // namespace tilerig::reference

#include "reference/Ops/AttentionCore.h"

#include "reference/Ops/Floating.h"

namespace tilerig::reference {

Result<BroadcastMask> BroadcastMask::read(const OpContext &context, size_t index, const AttentionShape &shape,
                                          bool mayBeShorter) {
  const Tensor &tensor = context.input(index);
  const int64_t full[] = {shape.batch, shape.heads, shape.queries, shape.keys};
  const auto misfit = [&] {
    return context.invalid(fmt::format("input {} has shape {}, which cannot be broadcast to [{}, {}, {}, {}]",
                                       index, showShape(tensor.shape()), full[0], full[1], full[2], full[3]));
  };
  if (tensor.rank() < 1 || tensor.rank() > 4)
    return misfit();
  BroadcastMask mask;
  if (tensor.dtype() == DType::boolean) {
    for (const bool isAllowed : tensor.as<bool>())
      mask.addends.push_back(isAllowed ? 0 : -INFINITY);
  } else if (tensor.dtype() == context.input(0).dtype()) {
    TILERIG_TRY(mask.addends, floatsAs<double>(context, tensor));
  } else {
    return context.notSupported(fmt::format("a mask of type {} is not supported", nameOf(tensor.dtype())),
                                "use a mask of booleans, or one of the queries' type");
  }
  Shape own = tensor.shape();
  own.insert(own.begin(), 4 - own.size(), 1);
  mask.columns = own[3];
  mask.repeatsColumn = own[3] == 1 && (shape.keys != 1 && !mayBeShorter);
  int64_t stride = own[3];
  for (size_t axis = 3; axis-- > 0; stride *= own[axis]) {
    if (own[axis] != 1 && own[axis] != full[axis])
      return misfit();
    mask.strides[axis] = own[axis] == 1 ? 0 : stride;
  }
  if (own[3] != shape.keys && !mask.repeatsColumn && !(mayBeShorter && own[3] < shape.keys))
    return misfit();
  return mask;
}

void BroadcastMask::addTo(std::span<double> bias, int64_t batch, int64_t head, int64_t query) const {
  const double *row = addends.data() + batch * strides[0] + head * strides[1] + query * strides[2];
  for (size_t key = 0; key < bias.size(); ++key)
    bias[key] += repeatsColumn ? row[0] : static_cast<int64_t>(key) < columns ? row[key] : -INFINITY;
}

} // namespace tilerig::reference

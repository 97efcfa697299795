#include "compiler/Tile/Ops/Walk.h"

namespace tilerig::compiler {

namespace {

Stream emptyStream(const View &view, uint64_t base) {
  Stream stream{.space = view.space, .type = view.type, .tile = view.tile, .base = base};
  stream.dims.fill({1, 0});
  return stream;
}

} // namespace

void Walk::addAxis(uint64_t size, std::vector<uint64_t> strides) {
  if (size == 1)
    return;
  if (!axes.empty()) {
    Axis &outer = axes.back();
    bool isOne = true;
    for (size_t i = 0; i < strides.size(); ++i)
      isOne &= outer.strides[i] == size * strides[i];
    if (isOne) {
      outer = {outer.size * size, std::move(strides)};
      return;
    }
  }
  axes.push_back({size, std::move(strides)});
}

void Walk::forEach(const Visit &visit, size_t mostAxes) const {
  const size_t outside = axes.size() > mostAxes ? axes.size() - mostAxes : 0;
  uint64_t repetitions = 1;
  for (size_t i = 0; i < outside; ++i)
    repetitions *= axes[i].size;
  for (uint64_t repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<Stream> streams;
    for (size_t s = 0; s < views.size(); ++s) {
      uint64_t base = views[s].address, rest = repetition;
      for (size_t i = outside; i-- > 0; rest /= axes[i].size)
        base += rest % axes[i].size * axes[i].strides[s];
      Stream stream = emptyStream(views[s], base);
      for (size_t i = outside; i < axes.size(); ++i)
        stream.dims[5 - (axes.size() - i)] = dimension(axes[i].size, axes[i].strides[s]);
      streams.push_back(stream);
    }
    visit(streams);
  }
}

Stream streamOf(const View &view, const Box &part) {
  Stream stream = emptyStream(view, view.addressOf(part));
  const size_t rank = part.rank();
  for (size_t i = 0; i < std::min<size_t>(5, rank); ++i)
    stream.dims[4 - i] =
        dimension(static_cast<uint64_t>(part[rank - 1 - i].size()), view.strideOf(rank - 1 - i));
  return stream;
}

} // namespace tilerig::compiler

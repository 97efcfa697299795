#include "isa/Order/Pieces.h"

namespace tilerig {

std::vector<Steps> nestedDims(const proto::Piece &piece, uint64_t &run) {
  std::vector<Steps> dims;
  for (int d = 0; d < piece.extent_size(); ++d)
    if (piece.extent(d) > 1)
      dims.push_back({piece.stride(d), static_cast<uint64_t>(piece.extent(d))});
  std::ranges::sort(dims, std::greater(), &Steps::stride);
  while (!dims.empty() && dims.back().stride == run) {
    run *= dims.back().count;
    dims.pop_back();
  }
  return dims;
}

} // namespace tilerig

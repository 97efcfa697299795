#include "verify/Evidence/Sample.h"

#include "isa/Base/Support/Hash.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

uint8_t asByte(float density) {
  return static_cast<uint8_t>(std::clamp(density * 255.0F + 0.5F, 0.0F, 255.0F));
}

// Draws the histogram of the comparison by relative error and order of magnitude (Plane.h), in 64 x 64 cells
// for each subset (discarded, passed and failed elements). The largest positive error is at the top.
Tensor drawPlanes(const Comparison &comparison) {
  std::vector<Sheet> planes(picturePlanes);
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column)
      for (size_t subset = 0; subset < numSubsets; ++subset)
        if (const uint64_t count = comparison.plane.inSubset(static_cast<Subset>(subset), row, column))
          planes[subset].add((gridRows - 1 - row) * evidenceSide / gridRows,
                             column * evidenceSide / gridColumns, count);
  Tensor picture(DType::u8, {picturePlanes, evidenceSide, evidenceSide});
  const std::span<uint8_t> out = picture.mutableAs<uint8_t>();
  std::vector<float> densities(evidenceCells);
  for (size_t plane = 0; plane < picturePlanes; ++plane) {
    planes[plane].write(comparison.elements, densities);
    std::ranges::transform(densities, out.begin() + static_cast<ptrdiff_t>(plane * evidenceCells), asByte);
  }
  return picture;
}

} // namespace

Evidence asSample(const FloatEvidence &floatEvidence, const Comparison &comparison) {
  Evidence evidence{Tensor(DType::u8, floatEvidence.channels.shape()), drawPlanes(comparison),
                    floatEvidence.features};
  std::ranges::transform(floatEvidence.channels.as<float>(), evidence.channels.mutableAs<uint8_t>().begin(),
                         asByte);
  return evidence;
}

uint64_t digestOf(const Evidence &evidence) {
  const uint64_t planes =
      combineHashes(hashBytes(evidence.channels.bytes()), hashBytes(evidence.picture.bytes()));
  return combineHashes(planes, hashBytes(std::as_bytes(std::span(evidence.features))));
}

} // namespace tilerig::verify

// Sums of 8-bit products through oneDNN, which uses the VNNI and AMX instructions of hosts that have them.
//
// Only what oneDNN does exactly is asked of it, and all of it has one form: a convolution without padding of
// a dense image of unsigned bytes with signed bytes, into 32 bits. Zero points, padding and starting values
// are its caller's affair. Two limits make it exact:
//
// - The host multiplies bytes into 32-bit sums (oneDnnIsExact). Narrower hosts add pairs of products in 16
//   bits and saturate there; only weights within ±63 are safe on them, since 255 · 63 · 2 < 2^15.
// - No sum exceeds 2^24 (largestExactSum). Most of oneDNN's kernels scale their sums in fp32, by one if
//   nobody asks for more, and round larger ones.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tilerig::pod {

// Whether the host, as far as oneDNN is allowed to use it, has AVX512-VNNI or more.
bool oneDnnIsExact();

inline constexpr int32_t largestExactSum = 1 << 24;

// A convolution of [image][height][width][channel] with [output][kernelH][kernelW][channel].
struct ProductShape {
  uint32_t images = 1, height = 1, width = 1, channels = 1;
  uint32_t outputs = 1, kernelH = 1, kernelW = 1;
  uint32_t strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  auto operator<=>(const ProductShape &) const = default;

  uint32_t outHeight() const { return (height - (kernelH - 1) * dilationH - 1) / strideH + 1; }
  uint32_t outWidth() const { return (width - (kernelW - 1) * dilationW - 1) / strideW + 1; }
  uint32_t positions() const { return images * outHeight() * outWidth(); }
};

// Weights in the order that a product wants.
class ReorderedWeights {
public:
  virtual ~ReorderedWeights() = default;
};

// One for each shape, in the whole process, for as long as somebody uses it.
class OneDnnProduct {
public:
  // None if oneDNN has no fast kernel for the shape, or one that is not exact.
  static std::shared_ptr<const OneDnnProduct> of(const ProductShape &shape);
  virtual ~OneDnnProduct() = default;

  // Products with equal numbers take each other's reordered weights.
  virtual uint32_t weightFormat() const = 0;
  // `weights` are dense, in the order of ProductShape. None if oneDNN fails.
  virtual std::shared_ptr<const ReorderedWeights> reorder(std::span<const int8_t> weights) const = 0;
  // What run() needs as room.
  virtual size_t roomBytes() const = 0;
  // sums[position][output], from a dense image. Any number of threads at once, and the calling one alone does
  // the work. False if oneDNN fails.
  virtual bool run(const uint8_t *image, const ReorderedWeights &weights, int32_t *sums,
                   std::byte *room) const = 0;
};

} // namespace tilerig::pod

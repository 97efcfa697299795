// Exact sums of 8-bit products through oneDNN, which uses the VNNI and AMX instructions of the host.
//
// oneDNN is used only for one operation that it computes exactly: a convolution without padding that
// multiplies a dense image of unsigned bytes by weights of signed bytes and sums the products in 32 bits. The
// caller handles zero points, padding and starting values. Two conditions make it exact:
//
// - The host accumulates byte products in 32 bits (oneDnnIsExact). Older hosts add pairs of products in 16
//   bits with saturation; there only weights within ±63 are safe, since 255 · 63 · 2 < 2^15.
// - No sum exceeds 2^24 (largestExactSum). Most of oneDNN's kernels scale their sums in fp32, even by a scale
//   of 1, and so round larger sums.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tilerig::emulator::pod {

// Whether the host has AVX512-VNNI or a later extension that oneDNN is allowed to use.
bool oneDnnIsExact();

inline constexpr int32_t largestExactSum = 1 << 24;

// The shape of a convolution of a batch of images, [image][height][width][channel], with weights
// [output][kernelH][kernelW][channel].
struct ProductShape {
  uint32_t images = 1, height = 1, width = 1, channels = 1;
  uint32_t outputs = 1, kernelH = 1, kernelW = 1;
  uint32_t strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  auto operator<=>(const ProductShape &) const = default;

  uint32_t outHeight() const { return (height - (kernelH - 1) * dilationH - 1) / strideH + 1; }
  uint32_t outWidth() const { return (width - (kernelW - 1) * dilationW - 1) / strideW + 1; }
  uint32_t positions() const { return images * outHeight() * outWidth(); }
};

// Weights in the memory format that a oneDNN kernel (OneDnnProduct) needs.
class ReorderedWeights {
public:
  virtual ~ReorderedWeights() = default;
};

// A compiled oneDNN kernel. Within the process, a kernel is shared by all products of the same shape while
// they are in use.
class OneDnnProduct {
public:
  // Returns the kernel for a shape, or null if oneDNN has no fast kernel for it, or only one that is not
  // exact.
  static std::shared_ptr<const OneDnnProduct> of(const ProductShape &shape);
  virtual ~OneDnnProduct() = default;

  // Products with equal weightFormat() can use the same reordered weights.
  virtual uint32_t weightFormat() const = 0;
  // Converts weights, which are dense and in the order of ProductShape, to the kernel's memory format.
  // Returns null if oneDNN fails.
  virtual std::shared_ptr<const ReorderedWeights> reorder(std::span<const int8_t> weights) const = 0;
  // Size in bytes of the work buffer that run() needs for the oneDNN kernel.
  virtual size_t scratchBytes() const = 0;
  // Computes sums[position][output] from a dense image, on the calling thread alone; `work` is the work
  // buffer. Several threads may call run() at once. Returns false if oneDNN fails.
  virtual bool run(const uint8_t *image, const ReorderedWeights &weights, int32_t *sums,
                   std::byte *work) const = 0;
};

} // namespace tilerig::emulator::pod

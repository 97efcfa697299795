// Benchmark of tensor comparison: all metrics and the error map, on pairs of fp32 tensors larger than the
// caches, on one thread, alternating with memcpy of the same bytes. Prints one line of JSON for each kind of
// pair; times are processor times.
//
// usage: tilerig-verify-benchmark [REPETITIONS] [ELEMENTS]
#include "tests/support/Random.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Picture.h"
#include "verify/Metrics/Compare.h"

#include <cstring>
#include <ctime>
#include <fmt/core.h>
#include <fmt/ranges.h>

using namespace tilerig;
using namespace tilerig::verify;

namespace {

// Processor time of this thread, so that other processes do not count.
double processorMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}
double millisecondsOf(auto work) {
  const double begin = processorMilliseconds();
  work();
  return processorMilliseconds() - begin;
}

// Values like those of a layer before its activation function: roughly normally distributed, of both signs,
// with magnitudes that differ by several powers of ten.
Tensor activations(size_t elements, uint64_t seed) {
  Tensor tensor(DType::f32, {static_cast<int64_t>(elements)});
  test::Random random(seed);
  for (float &element : tensor.mutableAs<float>()) {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5;
    element = static_cast<float>(sum);
  }
  return tensor;
}

// A copy of the reference with relative errors: one of `every` elements is multiplied by 1 + spread · u, with
// u uniform in −1 ... 1.
Tensor disturbed(const Tensor &reference, double spread, size_t every) {
  Tensor target = reference;
  test::Random random(7);
  const auto elements = target.mutableAs<float>();
  for (size_t i = 0; i < elements.size(); i += every)
    elements[i] *= static_cast<float>(1 + spread * (static_cast<double>(random.next() >> 11) * 0x1p-52 - 1));
  return target;
}

// Activations after a ReLU: half of the elements are zero.
Tensor rectified(Tensor tensor) {
  for (float &element : tensor.mutableAs<float>())
    element = std::max(element, 0.0f);
  return tensor;
}

struct Pair {
  const char *name;
  Tensor reference, target;
};

void compareAndDraw(const Pair &pair) {
  const Comparison comparison = compareTensors(pair.reference, pair.target);
  if (drawPicture(comparison).rgb.empty())
    fmt::print(stderr, "no picture\n");
}

void measure(const Pair &pair, unsigned repetitions) {
  const size_t bytes = pair.reference.sizeBytes() + pair.target.sizeBytes();
  std::vector<std::byte> copy(bytes);
  std::vector<double> compared, copied;
  for (unsigned i = 0; i < repetitions + 1; ++i) {
    const double compare = millisecondsOf([&] { compareAndDraw(pair); });
    const double peer = millisecondsOf([&] {
      std::memcpy(copy.data(), pair.reference.bytes().data(), bytes / 2);
      std::memcpy(copy.data() + bytes / 2, pair.target.bytes().data(), bytes / 2);
    });
    if (i == 0)
      continue; // warm-up run: pages are touched and caches filled
    compared.push_back(compare);
    copied.push_back(peer);
  }
  fmt::print(R"({{"pair": "{}", "bytes": {}, "compare_ms": [{:.3f}], "memcpy_ms": [{:.3f}]}})"
             "\n",
             pair.name, bytes, fmt::join(compared, ", "), fmt::join(copied, ", "));
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const unsigned repetitions = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 7;
  const size_t elements = argc > 2 ? static_cast<size_t>(std::atoll(argv[2])) : size_t{1} << 24;
  const Tensor plain = activations(elements, 1), other = activations(elements, 2);
  const Pair pairs[] = {{"rounded", plain, disturbed(plain, 1e-3, 1)},
                        {"rounded, behind ReLU", rectified(plain), rectified(disturbed(plain, 1e-3, 1))},
                        {"one in a hundred wrong", plain, disturbed(plain, 0.5, 100)},
                        {"equal", plain, plain},
                        {"unrelated", plain, other}};
  for (const Pair &pair : pairs)
    measure(pair, repetitions);
}

#include "models/Networks/Catalogue.h"

#include "models/Networks/Families.h"

#include <algorithm>

namespace tilerig::models {

std::span<const CatalogueEntry> catalogue() {
  static constexpr CatalogueEntry entries[] = {
      {"alexnet", "convolutions in two groups, local response normalisation", {227, 67, 1}, alexNet},
      {"vgg16", "13 convolutions of 3×3, three large dense layers", {224, 32, 1}, vgg16},
      {"vgg19", "16 convolutions of 3×3, three large dense layers", {224, 32, 1}, vgg19},
      {"squeezenet",
       "SqueezeNet 1.1: blocks that squeeze the channels, then expand them",
       {224, 32, 1},
       squeezeNet},
      {"inception_v1", "GoogLeNet: modules of four branches", {224, 48, 1}, inceptionV1},
      {"resnet18", "residual blocks of two 3×3 convolutions", {224, 32, 1}, resNet18},
      {"resnet50", "residual bottlenecks", {224, 32, 1}, resNet50},
      {"mobilenet_v1", "depthwise separable convolutions", {224, 32, 1}, mobileNetV1},
      {"mobilenet_v2", "inverted residuals, ReLU6", {224, 32, 1}, mobileNetV2},
      {"ssd_resnet50", "detector: boxes, scores, non-maximum suppression", {300, 300, 1}, ssdResNet50},
      {"unet", "segmentation: encoder, decoder and connections between their levels", {128, 32, 8}, uNet},
      {"r3d_mini",
       "video: residual blocks of 3×3×3 convolutions, clips of 8 frames",
       {64, 32, 1},
       videoResNet},
      {"vit_tiny", "vision transformer, 12 layers of width 192", {224, 32, 16}, vitTiny},
      {"bert_tiny", "language encoder, 2 layers of width 128, 128 tokens", {}, bertTiny},
      {"translator", "encoder and decoder, one layer of width 64 each, 24 tokens", {}, translator},
      {"decoder_tiny",
       "one step of a language model: grouped queries, rotary positions, cache of 32",
       {},
       decoderTiny},
      {"lstm_tagger", "sequence tagger: embedding and bidirectional LSTM, 32 words", {}, lstmTagger},
      {"gru_speech", "streaming speech recogniser: two GRU layers with state, 16 frames", {}, gruSpeech},
  };
  return entries;
}

const CatalogueEntry *findNetwork(std::string_view name) {
  auto entry = std::ranges::find(catalogue(), name, &CatalogueEntry::name);
  return entry == catalogue().end() ? nullptr : &*entry;
}

} // namespace tilerig::models

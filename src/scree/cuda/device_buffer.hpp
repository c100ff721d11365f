#pragma once
// An array in device memory that owns its storage. Movable, not copyable. Contents start undefined.
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "scree/cuda/check.hpp"

namespace scree {

template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>, "device memory is copied byte by byte");

 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size > 0) cuda_check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)), "device memory");
  }
  explicit DeviceBuffer(std::span<const T> host) : DeviceBuffer(host.size()) { upload(host); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Room for at least `size` elements. Growing throws the contents away; a buffer never shrinks.
  void reserve(std::size_t size) {
    if (size > size_) *this = DeviceBuffer(size);
  }

  // Copies wait for earlier work of `stream` and return when the host array may be used again.
  void upload(std::span<const T> host, std::size_t first = 0, cudaStream_t stream = nullptr) {
    copy(data_ + first, host.data(), host.size(), first, cudaMemcpyHostToDevice, stream);
  }
  void download(std::span<T> host, std::size_t first = 0, cudaStream_t stream = nullptr) const {
    copy(host.data(), data_ + first, host.size(), first, cudaMemcpyDeviceToHost, stream);
  }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    download(host);
    return host;
  }

  // Sets every byte: 0 for a clean start, 0xff (a NaN in every float) to poison what a kernel must overwrite.
  void fill_bytes(int value, cudaStream_t stream = nullptr) {
    if (size_ > 0) cuda_check(cudaMemsetAsync(data_, value, size_ * sizeof(T), stream), "filling device memory");
  }

 private:
  void copy(void* to, const void* from, std::size_t count, std::size_t first, cudaMemcpyKind kind,
            cudaStream_t stream) const {
    if (count == 0) return;
    if (first > size_ || count > size_ - first) {
      throw Error(ErrorKind::system, "device memory", "a copy reaches beyond its buffer", "this is a bug: report it");
    }
    cuda_check(cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream), "copying to or from the device");
    cuda_check(cudaStreamSynchronize(stream), "copying to or from the device");
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Memory of the host that a device copies to and from without waiting.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size) {
    if (size > 0) cuda_check(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)), "pinned host memory");
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }
  T* data() { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace scree

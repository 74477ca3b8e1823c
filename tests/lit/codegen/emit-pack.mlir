// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile per panel of two vectors of columns; the last is filled with zeros.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[B:[a-z0-9]+]]: memref<160xf32> {llvm.noalias}, %[[P:[a-z0-9]+]]: memref<256xf32> {llvm.noalias}
// CHECK-SAME: %[[PANEL:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index)
// CHECK-SAME: smp.grid = array<i64: 2, 1, 1>
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PANEL]], %c1 : index
// CHECK: scf.if %[[LAST]] {
// CHECK: vector.maskedload %[[B]]
// CHECK: vector.store %cst, %[[P]]
// CHECK: } else {
// CHECK-NOT: maskedload
// CHECK-COUNT-2: vector.store {{.*}} : memref<256xf32>, vector<8xf32>
smp.entry @f(%b: tensor<1x8x20xf32> {smp.name = "b"}) -> (tensor<256xf32> {smp.name = "p"}) {
  %p = smp.pack %b : (tensor<1x8x20xf32>) -> tensor<256xf32>
  smp.return %p : tensor<256xf32>
}

// -----

// What is packed is read where it lies, also the other way round: the filter of
// a convolution's gradient is one kernel.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<576xf32> {llvm.noalias}, %[[P:[a-z0-9]+]]: memref<2304xf32> {llvm.noalias}
// CHECK: memref.load %[[W]]
// CHECK: vector.store %{{.*}}, %[[P]]
// CHECK-NOT: func.func
smp.entry @f(%w: tensor<8x8x3x3xf32> {smp.name = "w"}) -> (tensor<2304xf32> {smp.name = "p"}) {
  %r = smp.reverse %w {dimensions = array<i64: 2, 3>} : tensor<8x8x3x3xf32>
  %t = smp.transpose %r {permutation = array<i64: 2, 3, 0, 1>} : (tensor<8x8x3x3xf32>) -> tensor<3x3x8x8xf32>
  %m = smp.reshape %t : tensor<3x3x8x8xf32> to tensor<1x72x8xf32>
  %p = smp.pack %m : (tensor<1x72x8xf32>) -> tensor<2304xf32>
  smp.return %p : tensor<2304xf32>
}

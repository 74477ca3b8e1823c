// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A thread takes 16 bytes, and says that they lie on a multiple of 16. Numbers
// of threads beyond the vectors are of the elements that are left.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: %[[VECTOR:.*]] = arith.cmpi ult, %{{.*}}, %c275 : index
// CHECK: scf.if %[[VECTOR]] {
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<1103xf32, 1>, vector<4xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<1103xf32, 1>, vector<4xf32>
// CHECK: } else {
// CHECK: memref.load
// CHECK: memref.store
smp.entry @rest(%x: tensor<1103xf32> {smp.name = "x"}) -> (tensor<1103xf32> {smp.name = "y"}) {
  %y = smp.neg %x : tensor<1103xf32>
  smp.return %y : tensor<1103xf32>
}

// -----

// As many elements as the widest that is read or written allows.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<1024xi16, 1>, vector<4xi16>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<1024xf32, 1>, vector<4xf32>
smp.entry @mixed(%x: tensor<1024xbf16> {smp.name = "x"}) -> (tensor<1024xf32> {smp.name = "y"}) {
  %y = smp.convert %x : tensor<1024xbf16> to tensor<1024xf32>
  smp.return %y : tensor<1024xf32>
}

// -----

// Rows that four do not divide begin anywhere: two do.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<1020xf32, 1>, vector<2xf32>
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<102xf32, 1>, vector<2xf32>
smp.entry @row(%x: tensor<10x102xf32> {smp.name = "x"}, %w: tensor<102xf32> {smp.name = "w"}) -> (tensor<10x102xf32> {smp.name = "y"}) {
  %b = smp.broadcast %w {dimensions = array<i64: 1>} : tensor<102xf32> to tensor<10x102xf32>
  %y = smp.add %x, %b : tensor<10x102xf32>
  smp.return %y : tensor<10x102xf32>
}

// -----

// What is the same for all rows is read once for several.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<1024xf32, 1>
// CHECK: vector.load %[[W]]
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK-NOT: %[[W]]
// CHECK: vector.store
smp.entry @rows(%w: tensor<1024xf32> {smp.name = "w"}, %x: tensor<128x1024xf32> {smp.name = "x"}) -> (tensor<128x1024xf32> {smp.name = "y"}) {
  %b = smp.broadcast %w {dimensions = array<i64: 1>} : tensor<1024xf32> to tensor<128x1024xf32>
  %y = smp.add %x, %b : tensor<128x1024xf32>
  smp.return %y : tensor<128x1024xf32>
}

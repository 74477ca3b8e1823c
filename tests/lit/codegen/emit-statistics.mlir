// RUN: smp-opt %s "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile is a block of one of the values, which is found in a table: their
// first tiles, elements and buffers. What is done with it is a function: one
// walk, a second one where differences from the means would cancel, and where
// f32 does not suffice, all again in f64, in two. Of values of many blocks the
// next one is fetched to a cache meanwhile.
// CHECK: func.func private @k0_v3() attributes {smp.body = @statistics.f32.tile, smp.grid = array<i64: 4, 1, 1>,
// CHECK-SAME{LITERAL}: smp.sources = dense<[[0, 7, 0, 2], [1, 20000, 1, 3]]> : tensor<2x4xi64>
// CHECK-LABEL: func.func private @statistics.f32(
// CHECK: %[[MANY:.*]] = arith.cmpi ugt, %{{.*}}, %c131072
// CHECK: %[[AHEAD:.*]] = arith.select %[[MANY]], %c8192, %c0
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK-NOT: arith.subf {{.*}} : vector
// CHECK: arith.select
// CHECK-NOT: arith.subf {{.*}} : vector
// CHECK: fmuladd({{.*}}) : (vector<8xf32>
// CHECK: scf.if
// CHECK: scf.if
// CHECK: arith.subf {{.*}} : vector<8xf32>
// CHECK: fmuladd({{.*}}) : (vector<8xf32>
// CHECK: else
// CHECK: scf.for
// CHECK: fmuladd({{.*}}) : (vector<8xf64>
smp.stage @s(%a: tensor<7xf32>, %b: tensor<20000xf32>) -> (tensor<1x10xf64>, tensor<3x10xf64>) attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0:2 = smp.group whole(%a, %b) : (tensor<7xf32>, tensor<20000xf32>) -> (tensor<1x10xf64>, tensor<3x10xf64>) {
  ^bb0(%x: tensor<7xf32>, %y: tensor<20000xf32>):
    %1 = smp.statistics %x : (tensor<7xf32>) -> tensor<1x10xf64>
    %2 = smp.statistics %y : (tensor<20000xf32>) -> tensor<3x10xf64>
    smp.return %1, %2 : tensor<1x10xf64>, tensor<3x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<1x10xf64>, tensor<3x10xf64>
}

// Where a tile's block begins.
// CHECK: func.func private @statistics.f32.tile(%[[MEMORY:.*]]: memref<{{.*}}>, %[[RECORDS:.*]]: memref<{{.*}}>, %[[BLOCK:.*]]: index, %[[ELEMENTS:.*]]: index)
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c8192
// CHECK: call @statistics.f32(%[[MEMORY]], %[[RECORDS]], %[[BLOCK]], %[[ELEMENTS]], %[[FIRST]])

// A loop takes those of a block of what it reads, which is kept as it may be
// overwritten, and of its results, both from registers. A function makes records
// of them; of the last block there may be less.
// CHECK: func.func @k1_v3(%[[A:.*]]: memref<20000xf32> {{.*}}, %[[B:.*]]: memref<20000xf32> {{.*}}, %[[SUM:.*]]: memref<20000xf32> {{.*}}, %[[OF_A:.*]]: memref<30xf64> {{.*}}, %[[OF_SUM:.*]]: memref<30xf64> {{.*}}, %[[TILE:.*]]: index, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK-DAG: %[[KEPT:.*]] = memref.view {{.*}} to memref<8192xf32>
// CHECK-DAG: %[[STATES:.*]] = memref.view {{.*}} to memref<48xf64>
// CHECK: %[[LENGTH:.*]] = arith.minui %{{.*}}, %c8192
// CHECK: scf.for
// CHECK: %[[WALKED:.*]]:12 = scf.for
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %c8192
// CHECK: %[[X:.*]] = vector.load %[[A]]
// CHECK: %[[Y:.*]] = vector.load %[[B]]
// CHECK: %[[R:.*]] = arith.addf %[[X]], %[[Y]] : vector<8xf32>
// CHECK: vector.store %[[X]], %[[KEPT]]
// CHECK: vector.store %[[R]], %[[SUM]]
// CHECK: math.absf %[[X]]
// CHECK: math.absf %[[R]]
// CHECK: %[[AT:.*]] = memref.reinterpret_cast %[[KEPT]]
// CHECK: %[[TO:.*]] = memref.reinterpret_cast %[[OF_A]]
// CHECK: call @walked_statistics.f32(%[[AT]], %[[TO]], %[[TILE]], %c20000, %c0, %{{.*}})
// CHECK: %[[AT:.*]] = memref.reinterpret_cast %[[SUM]]
// CHECK: %[[TO:.*]] = memref.reinterpret_cast %[[OF_SUM]]
// CHECK: call @walked_statistics.f32(%[[AT]], %[[TO]], %[[TILE]], %c20000, %{{.*}}, %{{.*}})
// CHECK: return
// CHECK: func.func private @walked_statistics.f32(
// CHECK-NOT: vector.load %arg0
// CHECK: scf.if
// CHECK: else
// CHECK: call @statistics.f32(
smp.stage @loop(%x: tensor<100x200xf32>, %y: tensor<100x200xf32>) -> (tensor<100x200xf32>, tensor<3x10xf64>, tensor<3x10xf64>) attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0:3 = smp.group loop(%x, %y) : (tensor<100x200xf32>, tensor<100x200xf32>) -> (tensor<100x200xf32>, tensor<3x10xf64>, tensor<3x10xf64>) {
  ^bb0(%a: tensor<100x200xf32>, %b: tensor<100x200xf32>):
    %r = smp.add %a, %b : tensor<100x200xf32>
    %1 = smp.statistics %a : (tensor<100x200xf32>) -> tensor<3x10xf64>
    %2 = smp.statistics %r : (tensor<100x200xf32>) -> tensor<3x10xf64>
    smp.return %r, %1, %2 : tensor<100x200xf32>, tensor<3x10xf64>, tensor<3x10xf64>
  }
  smp.return %0#0, %0#1, %0#2 : tensor<100x200xf32>, tensor<3x10xf64>, tensor<3x10xf64>
}

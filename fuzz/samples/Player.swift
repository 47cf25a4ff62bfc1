#!/usr/bin/swift
import Foundation
@testable import class Core.Player
#if os(Linux) && swift(>=5.9)
@available(iOS 15, *) @MainActor
#endif
public final class Player<Item: Codable & Sendable>: NSObject, Plays where Item.ID == String {
    private(set) lazy var items: [String: [Item?]] = [:] { willSet { print(newValue) } didSet { } }
    static let max = 1_000, mask = 0xFF, text = #"raw "\#(max)""#
    indirect enum State: Equatable { case idle, playing(at: Double, rate: Float = 1), failed(Error) ; var isIdle: Bool { self == .idle } }
    init?(_ items: Item..., by key: @escaping (Item) throws -> String) rethrows { guard !items.isEmpty, let first = items.first else { return nil } ; super.init() }
    deinit { NotificationCenter.default.removeObserver(self) }
    subscript<T>(at: Int) -> T? { get { items["\(at)"] as? T } set { _ = newValue } }
    func play<T>(_ it: borrowing T, at time: inout Double) async throws(PlayError) -> some Collection<T> {
        outer: for case let .some(item) in list where item > 0 { if case .playing(let at, _) = state, at ..< 3 ~= 2 { continue outer } else { break } }
        switch (a, b) { case (1...9, _) where a > b: fallthrough ; case let (x, y): fatalError("not implemented") ; @unknown default: return }
        do { try await load() } catch PlayError.missing { } catch let error as NSError { throw error } catch { }
        repeat { time -= 1 } while time > 0 ; defer { stop() }
        let long = """
          a \(items.map { $0.key }.joined(separator: ", ")) \
          b
          """ ; let f = { [weak self] (x: Int) -> Int in self?.x ?? x } ; let re = /a(?<b>\d+)/
        return items.values.flatMap { $0 }.filter(\.isReady) as! [T]
    }
}
extension Player: @retroactive Hashable { static func == (a: Player, b: Player) -> Bool { a === b } ; prefix operator +++ }

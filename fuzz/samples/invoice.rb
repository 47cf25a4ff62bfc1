#!/usr/bin/env ruby
# frozen_string_literal: true
require_relative 'lib/tax'
module Billing
  VAT = 0.19r
  class Invoice < Struct.new(:id, :lines, keyword_init: true)
    include Comparable
    attr_reader :total, *%i[a b]
    class << self
      def build(*args, key: 1, **rest, &block) = new(*args, **rest).tap(&block)
    end
    def <=>(other) = total <=> other&.total
    def render(to = $stdout)
      text = <<~HEAD + <<-'RAW' + "a#{"b#{@c}"}"
        Invoice #{id} of #{lines.map { |it| it[:name] }.join(", ")}
      HEAD
        raw #{text}
      RAW
      return unless text =~ /(?<year>\d{4})[\/#{id}]/xi
      case lines
      in [{ name: String => name, price: Integer | Float }, *] if name != ''
        to.puts name
      when 1..10, ->(n) { n > 1 } then nil
      else raise NotImplementedError, %q(not (nested) yet)
      end
      begin
        retry_it while (tries -= 1).positive?
      rescue IOError, SystemCallError => e then warn e
      rescue
        nil
      else
        redo
      ensure
        to.close
      end
      x = a ? b : c; y = { "k": 1, k2:, :c => ?a }; puts -x.abs ** 2 if not y
      lines.each_with_index do |(name, price), at; z| next if price.nil? end
      `ls #{x}`; alias_method :old, :new; BEGIN { }
    end
    private def secret! = @secret ||= __method__
  end
end
__END__
data

require "json"
class Big < Base
  KEY = "secret123"
  def initialize(a, b = 1)
    @a = a
  end
  def walk(a)
    if a
      b.each do |x|
        while x
          y unless z
        end
      end
    elsif c
      d
    end
    begin
      f
    rescue StandardError => e
    rescue
      logger.error("x")
      raise
    end
    puts "hi"
  end
  def stub
    raise NotImplementedError
  end
  def empty
  end
  private
  def priv; end
end

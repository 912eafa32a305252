require_relative "config/application"
Rails.application.initialize!
require_relative "lib/schema"
Schema.create

run Rails.application
